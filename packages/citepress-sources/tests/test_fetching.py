"""Fetching a source: what each answer means, whom it asks, how often, and whom it never reaches."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from ipaddress import ip_network
from typing import Any

import pytest

from citepress.base import clock, outgoing
from citepress_sources import fetching
from citepress_sources.fetching import HOPS, Fetcher, FetchOutcome, Pace
from support.origin import NETWORK, Reply, ScriptedOrigin, page, scripted_origin

MOMENT = datetime(2026, 11, 21, tzinfo=UTC)
PRIVATE = [
    "http://127.0.0.1/", "http://127.1/", "http://127.0.1/", "http://2130706433/", "http://0x7f000001/",
    "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://017700000001/", "http://0/", "http://0.0.0.0/",
    "http://127.0.0.1.:80/", "http://localhost/", "http://localhost./", "http://LOCALHOST/", "http://a.localhost/",
    "http://printer.local/", "http://db.internal/", "http://nas.home.arpa/", "http://router/", "http://10.0.0.1/",
    "http://10.255.255.255/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/", "http://169.254.0.1/", "http://100.64.0.1/", "http://192.0.0.1/",
    "http://192.0.2.1/", "http://198.18.0.1/", "http://198.51.100.1/", "http://203.0.113.1/", "http://224.0.0.1/",
    "http://239.255.255.250/", "http://240.0.0.1/", "http://255.255.255.255/", "http://[::1]/", "http://[::]/",
    "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[::127.0.0.1]/", "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/", "http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[ff02::1]/",
    "http://[64:ff9b::127.0.0.1]/", "http://[64:ff9b:1::7f00:1]/", "http://[2002:7f00:1::]/",
    "http://[2002:a00:1::]/", "http://[2001:db8::1]/", "http://[2001::1]/", "http://[100::1]/",
    "http://user@127.0.0.1/", "http://user:pw@example.org/", "http://\uff11\uff12\uff17.0.0.1/",
    "http://127\u30020\u30020\u30021/", "http://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3/",
    "http://127.0.0.1%2f@example.org/", "http://metadata.google.internal/",
]  # fmt: skip
"""Sixty spellings of hosts that are nobody's business."""
TURNING = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fe80::1", "::ffff:127.0.0.1"]


@pytest.fixture(scope="module")
def site() -> Iterator[ScriptedOrigin]:
    with scripted_origin() as running:
        yield running


@pytest.fixture(autouse=True)
def _nothing_published(site: ScriptedOrigin) -> None:
    site.pages.clear()
    site.requests.clear()


def fetcher(**options: Any) -> Fetcher:
    return Fetcher(about="https://archive.test", networks=(ip_network(NETWORK),), **options)


def fetch(site: ScriptedOrigin, path: str = "/page") -> FetchOutcome:
    return fetcher().fetch(site.url + path, MOMENT)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "answered"), (203, "answered"), (204, "unreachable"), (400, "unreachable"), (401, "blocked"),
        (402, "blocked"), (403, "blocked"), (404, "gone"), (405, "unreachable"), (410, "gone"), (418, "unreachable"),
        (429, "blocked"), (451, "blocked"), (500, "unreachable"), (503, "unreachable"),
    ],
)  # fmt: skip
def test_every_status_has_one_meaning(site: ScriptedOrigin, status: int, outcome: str) -> None:
    site.pages["/page"] = Reply(page() if status != 204 else b"", status)
    fetched = fetch(site)
    assert fetched.outcome == outcome
    assert (fetched.reason == "") == (outcome == "answered")


def test_a_source_is_asked_by_name_after_robots_txt(site: ScriptedOrigin) -> None:
    site.pages["/page"] = Reply(page())
    assert fetch(site).outcome == "answered"
    assert [path for path, _ in site.requests] == ["/robots.txt", "/page"]
    assert {fields["user-agent"] for _, fields in site.requests} == {
        f"{outgoing.agent('sources')} (+https://archive.test)"
    }


@pytest.mark.parametrize(
    ("robots", "outcome"),
    [
        (Reply(b"User-agent: *\nDisallow: /page"), "blocked"),
        (Reply(b"User-agent: citepress-sources\nDisallow: /"), "blocked"),
        (Reply(b"User-agent: other\nDisallow: /"), "answered"),
        (Reply(b"User-agent: *\nDisallow: /\nAllow: /page"), "answered"),
        (Reply(b"nothing", 404), "answered"),
        (Reply(b"no", 403), "answered"),
        (Reply(b"\xff\xfe\x00 not a text"), "answered"),
        (Reply(b"", 500), "unreachable"),
        (Reply(b"", 429), "unreachable"),
    ],
)
def test_robots_txt_decides_first(site: ScriptedOrigin, robots: Reply, outcome: str) -> None:
    site.pages |= {"/page": Reply(page()), "/robots.txt": robots}
    assert fetch(site).outcome == outcome
    assert ("/page" in site.paths()) == (outcome == "answered")


def test_a_redirect_is_followed_and_its_target_asked_for_permission_too(site: ScriptedOrigin) -> None:
    with scripted_origin("127.0.0.2") as other:
        site.pages["/page"] = Reply(status=301, fields={"Location": f"{other.url}/new"})
        other.pages["/new"] = Reply(page())
        fetched = fetch(site)
        assert fetched.exchange
        assert (fetched.outcome, fetched.exchange.url) == ("answered", f"{other.url}/new")
        other.pages["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /new")
        assert fetch(site).outcome == "blocked"
        assert other.paths() == ["/new"]


def test_a_redirect_is_followed_where_browsers_follow_it(site: ScriptedOrigin) -> None:
    site.pages["/page"] = Reply(status=301, fields={"Location": "/the n\xc3\xa9w page"})
    site.pages["/the%20n%C3%A9w%20page"] = Reply(page())
    assert fetch(site).outcome == "answered"


def test_a_circle_of_redirects_ends(site: ScriptedOrigin) -> None:
    site.pages["/page"] = Reply(status=302, fields={"Location": "/page"})
    assert fetch(site) == FetchOutcome("unreachable", f"redirects more than {HOPS} times")
    assert len(site.paths()) == HOPS + 1


def test_an_endless_body_and_a_slow_one_end(site: ScriptedOrigin, monkeypatch: pytest.MonkeyPatch) -> None:
    site.pages |= {"/huge": Reply(endless=0), "/slow": Reply(endless=0.05)}
    assert "answers more than 8,388,608 bytes" in fetch(site, "/huge").reason
    monkeypatch.setattr(fetching, "TOTAL_S", 0.5)
    assert "does not answer in time" in fetch(site, "/slow").reason


def test_a_host_that_is_not_there_is_unreachable() -> None:
    assert fetcher().fetch("http://127.0.0.1:9/", MOMENT) == FetchOutcome(
        "unreachable", "does not answer: Connection refused"
    )


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every address that something tries to connect to."""
    tried: list[object] = []

    def connect(_: socket.socket, address: object) -> None:
        tried.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", connect)
    return tried


@pytest.mark.parametrize("url", PRIVATE)
def test_no_spelling_of_a_private_address_is_connected_to(url: str, connections: list[object]) -> None:
    assert Fetcher().fetch(url, MOMENT).outcome == "unreachable"
    assert connections == []


@pytest.mark.parametrize("url", PRIVATE)
def test_no_redirect_leads_to_one_either(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real, tried = socket.socket.connect, set[object]()

    def connect(self: socket.socket, address: Any) -> None:
        tried.add(address)
        real(self, address)

    with scripted_origin("127.0.0.3") as site:
        monkeypatch.setattr(socket.socket, "connect", connect)
        site.pages["/page"] = Reply(status=302, fields={"Location": url.encode().decode("latin-1")})
        fetched = Fetcher(networks=(ip_network("127.0.0.3/32"),)).fetch(f"{site.url}/page", MOMENT)
        assert (fetched.outcome, tried) == ("unreachable", {("127.0.0.3", site.port)})


@pytest.mark.parametrize("address", TURNING)
def test_a_name_that_turns_private_is_not_connected_to(
    address: str, connections: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["93.184.215.14", address, address, address])
    real = socket.getaddrinfo

    def resolved(_name: str, port: int, *rest: Any, **more: Any) -> Any:
        return real(next(answers), port, *rest, **more)

    monkeypatch.setattr(outgoing.socket, "getaddrinfo", resolved)
    pace = Pace(lambda _: None)
    for _ in range(2):
        Fetcher(pace=pace).fetch("http://rebinding.example/page", MOMENT)
    assert connections == [("93.184.215.14", 80)]


def test_a_host_is_asked_once_a_second_and_others_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "seconds", lambda: 100.0)
    waits: list[float] = []
    pace = Pace(waits.append)
    for host in ("one.example", "two.example", "one.example", "one.example"):
        pace.wait(host, fetching.PAUSE_S)
    assert waits == [1.0, 2.0]


def test_a_crawl_delay_is_kept_within_bounds(site: ScriptedOrigin) -> None:
    site.pages |= {"/robots.txt": Reply(b"User-agent: *\nCrawl-delay: 7"), "/page": Reply(page())}
    own = fetcher()
    assert own.fetch(f"{site.url}/page", MOMENT).outcome == "answered"
    host = site.url.partition("//")[2]
    assert own._delay(host) == 7.0  # noqa: SLF001
    assert own._delay("other.example") == fetching.PAUSE_S  # noqa: SLF001
