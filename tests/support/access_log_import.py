"""Access logs for tests: lines in every format, states to import them into, and what the rollups say afterwards."""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

from citepress.admin.build import Builder
from citepress.settings import DEPLOYMENT, Settings
from citepress_telemetry.access_logs.tally import Tally
from citepress_telemetry.log_import import ImportRequest, import_logs
from citepress_telemetry.model import Closed, Imported
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.stores import open_rollup_store
from support.folder import NOW, SITE, folder, post
from support.telemetry_count import flat
from support.traffic_counter import CHROME, GPTBOT

START = datetime(2026, 3, 2, 10, tzinfo=UTC)
FIRST = int(START.timestamp()) // 3600
CLAUDE = "Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)"
CURL = "curl/8.5.0"
SESSIONS = {"sessions", "cut", "robots_only", "bursts", "depth", "depth_sum"}


def built(path: Path, site: str = SITE) -> Settings:
    """A content folder with two posts and its edition, to copy states from."""
    root = folder(path / "content", {"content/posts/one.md": post(), "content/posts/two.md": post()}, site)
    settings = Settings(root, path / "state")
    Builder(settings).build(NOW)
    return settings


def fresh(settings: Settings, state: Path) -> Settings:
    """The same edition under a state folder that has counted nothing."""
    shutil.copytree(settings.state / "edition", state / "edition")
    shutil.copy(settings.state / DEPLOYMENT, state)
    return Settings(settings.root, state)


def combined(  # noqa: PLR0913  (the fields of a line)
    at: datetime,
    target: str = "/posts/one/",
    ua: str = GPTBOT,
    *,
    client: str = "203.0.113.7",
    status: int = 200,
    size: int = 500,
    method: str = "GET",
    referer: str = "-",
    zone: str = "+0000",
) -> str:
    """A line of the combined format."""
    return (
        f'{client} - - [{at:%d/%b/%Y:%H:%M:%S} {zone}] "{method} {target} HTTP/1.1" {status} {size} "{referer}"'
        f' "{ua}"\n'
    )


def day_of_traffic() -> list[str]:
    """Forty lines over five hours, some of them out of order, from people, crawlers, a library and a scanner."""
    lines = []
    for number in range(40):
        at = START + timedelta(minutes=7 * number, seconds=-25 if number % 3 else 20)
        ua = (GPTBOT, CLAUDE, CHROME, CURL)[number % 4]
        target = ("/posts/one/", "/robots.txt", "/posts/two.md", "/wp-login.php", "/posts/gone/", "/?q=1")[number % 6]
        status = 404 if target.startswith(("/wp", "/posts/gone")) else 304 if number % 7 == 0 else 200
        lines.append(combined(at, target, ua, client=f"203.0.113.{number % 5}", status=status, size=100 + number))
    return lines


def written(path: Path, lines: Iterable[str]) -> Path:
    """A log of these lines."""
    path.write_text("".join(lines), "utf-8")
    return path


def run(settings: Settings, *paths: Path, format: str = "auto", dry_run: bool = False) -> Tally:  # noqa: A002
    """Import these logs."""
    return import_logs(settings, ImportRequest(paths, format, dry_run))


def counts(settings: Settings, *, sessions: bool = True) -> tuple[Counter[Any], dict[str, set[int]]]:
    """Everything that the rollups say, by flat keys with names in place of ids, and the pages that each family read."""
    with closing(open_rollup_store(settings.state)) as database:
        rollups, names = SqlRollups(database), SqlDimensions(database)
        flat_sums = flat(rollups.window(0, 10**6), rollups.read_totals())
        families, routes = {id_: row.name for id_, row in names.families().items()}, {0: "", **names.routes()}
    sums: Counter[Any] = Counter()
    for (area, *key), n in flat_sums.sums.items():
        if sessions or not (area in {"step", "edge"} or (area == "family" and key[1] in SESSIONS)):
            if area in {"family", "step", "edge"}:
                key[0] = families[key[0]]
            if area == "read":
                key[1] = families[key[1]]
            if area == "step":
                key[1] = routes[key[1]]
            if area in {"step", "edge"}:
                key[2] = routes[key[2]]
            sums[area, *key] += n
    return sums, {families[family]: ids for family, ids in flat_sums.sets.items() if ids}


def hours(settings: Settings) -> Sequence[Closed]:
    """The closed hours."""
    with closing(open_rollup_store(settings.state)) as database:
        return SqlRollups(database).closed(0, 10**6)


def cursors(settings: Settings) -> Sequence[Imported]:
    """How far files are counted."""
    with closing(open_rollup_store(settings.state)) as database:
        return SqlRollups(database).imports()


def objects(name: str, at: datetime) -> dict[str, Any]:
    """One request as each JSON format tells it."""
    stamp = at.isoformat().replace("+00:00", "Z")
    return {
        "json": {
            "time_iso8601": at.isoformat(),
            "remote_addr": "203.0.113.7",
            "request": "GET /posts/one/?a=1 HTTP/2.0",
            "status": "200",
            "body_bytes_sent": "500",
            "http_referer": "https://chatgpt.com/",
            "http_user_agent": GPTBOT,
            "host": "archive.test",
        },
        "caddy": {
            "level": "info",
            "ts": at.timestamp(),
            "logger": "http.log.access",
            "msg": "handled request",
            "request": {
                "remote_ip": "203.0.113.7",
                "method": "GET",
                "host": "archive.test:443",
                "uri": "/posts/one/?a=1",
                "headers": {"User-Agent": [GPTBOT], "Referer": ["https://chatgpt.com/"]},
            },
            "size": 500,
            "status": 200,
            "resp_headers": {"Content-Type": ["text/html; charset=utf-8"]},
        },
        "cloudflare": {
            "ClientIP": "203.0.113.7",
            "ClientRequestMethod": "GET",
            "ClientRequestHost": "archive.test",
            "ClientRequestURI": "/posts/one/?a=1",
            "ClientRequestUserAgent": GPTBOT,
            "ClientRequestReferer": "https://chatgpt.com/",
            "EdgeStartTimestamp": stamp,
            "EdgeResponseStatus": 200,
            "EdgeResponseBytes": 500,
            "EdgeResponseContentType": "text/html",
        },
    }[name]


IIS_FIELDS = (
    "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer)"
    " cs-host sc-status sc-substatus sc-win32-status sc-bytes time-taken\n"
)
CLOUDFRONT_FIELDS = (
    "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer)"
    " cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-host-header sc-content-type\n"
)
W3C_HEADS = {
    "iis": f"#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n{IIS_FIELDS}",
    "cloudfront": f"#Version: 1.0\n{CLOUDFRONT_FIELDS}",
}
"""How logs in the extended format of the W3C begin."""
W3C: dict[str, Callable[[datetime], list[str]]] = {
    "iis": lambda at: [
        *f"{at:%Y-%m-%d %H:%M:%S} 10.0.0.1 GET /posts/one/ a=1 443 - 203.0.113.7".split(),
        GPTBOT.replace(" ", "+"),
        *["https://chatgpt.com/", "archive.test", "200", "0", "0", "500", "15"],
    ],
    "cloudfront": lambda at: [
        *f"{at:%Y-%m-%d %H:%M:%S} FRA56-C1 500 203.0.113.7 GET d1.cloudfront.net /posts/one/ 200".split(),
        "https://chatgpt.com/",
        quote(GPTBOT, safe=";()/,+:").replace("%20", "%2520"),
        *["a=1", "-", "Hit", "archive.test", "text/html"],
    ],
}
"""The columns of one request, by what writes the log."""


def line_of(name: str, at: datetime) -> str:
    """One request in the format of this name; the same request in all."""
    if name in W3C:
        return "\t".join(W3C[name](at)) + "\n" if name == "cloudfront" else " ".join(W3C[name](at)) + "\n"
    if name == "common":
        return combined(at, "/posts/one/?a=1").rpartition(' "-"')[0] + "\n"
    if name in {"combined", "vhost"}:
        line = combined(at, "/posts/one/?a=1", referer="https://chatgpt.com/")
        return line if name == "combined" else f"archive.test:443 {line}"
    return json.dumps(objects(name, at)) + "\n"
