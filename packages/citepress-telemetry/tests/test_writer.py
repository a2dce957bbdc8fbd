"""From what the tap was told to rows: who, which route and material, what was sent.

And counts of what becomes no row.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from citepress.base.media import JSON, MARKDOWN
from citepress.http.message import Response
from citepress_telemetry.capture.hashing import address_of, network_key, readable
from citepress_telemetry.capture.self_traffic import default_rules
from citepress_telemetry.capture.unlisted_agents import product_tokens
from citepress_telemetry.identify.user_agents.probes import CATEGORIES
from citepress_telemetry.identify.verify.address_lists import shipped
from citepress_telemetry.identify.verify.ranges import Ranges
from citepress_telemetry.model import REPRESENTATIONS, VERIFY
from citepress_telemetry.ports import GET, HEAD_FLAG, MALFORMED, NAVIGATION, SIGNED
from support.edition import leaf, moved
from support.traffic_counter import CHROME, GPTBOT, HOUR, TrafficCounter

OWL = (
    "Owl-Fetcher/1.0 (+https://owl.example/?key=secret; mail owl@owl.example; from 203.0.113.7 2001:db8::7)" + "x" * 400
)


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[TrafficCounter]:
    counter = TrafficCounter(tmp_path)
    yield counter
    counter.close()


def test_a_request_becomes_a_row_of_numbers(counted: TrafficCounter) -> None:
    counted.ask()
    (row,) = counted.rows()
    assert counted.family(row) == "GPTBot"
    assert counted.route(row) == "/posts/{slug}/"
    assert counted.names.all_materials()[row.material].canonical_path == "posts/x"
    assert (REPRESENTATIONS[row.rep], row.status, row.bytes, row.flags) == ("html", 200, 4, GET)
    assert (VERIFY[row.verify], row.probe, row.miss, row.source, row.ts) == (
        "claimed",
        0,
        0,
        0,
        counted.now // 1_000_000,
    )


def test_negotiated_markdown_counts_as_markdown_and_a_route_without_a_page_has_no_material(
    counted: TrafficCounter,
) -> None:
    counted.ask("/posts/x/", leaf=leaf("/posts/x.md", MARKDOWN, "# x", route="/posts/{slug}.md", canonical="posts/x"))
    counted.ask("/openapi.json", leaf=leaf("/openapi.json", JSON, "{}"))
    first, second = counted.rows()
    assert (REPRESENTATIONS[first.rep], REPRESENTATIONS[second.rep]) == ("markdown", "json")
    assert (first.material > 0, second.material) == (True, 0)


def test_a_head_and_a_navigation_are_flagged(counted: TrafficCounter) -> None:
    counted.ask(method="HEAD")
    counted.ask(ua=CHROME, fields={"sec-fetch-mode": "navigate"})
    counted.ask(ua=CHROME, fields={"accept": "text/html,*/*"})
    counted.ask(method="POST", fields={"signature-input": "sig=()"})
    assert [row.flags for row in counted.rows()] == [HEAD_FLAG, GET | NAVIGATION, GET | NAVIGATION, SIGNED]


def test_an_unknown_slug_keeps_its_route_and_an_unknown_path_has_none(counted: TrafficCounter) -> None:
    counted.miss("/posts/never-written/")
    counted.miss("/page-readership/posts%2Fnever-written.json")
    counted.miss("/nothing/here")
    slug, report, stranger = counted.rows()
    assert [counted.route(row) for row in (slug, report, stranger)] == [
        "/posts/{slug}/",
        "/page-readership/{canonical_path}.json",
        "",
    ]
    assert (slug.miss, report.miss, stranger.miss > 0, stranger.probe) == (0, 0, True, 0)


def test_an_unmatched_path_leaves_its_category_and_a_keyed_hash(counted: TrafficCounter) -> None:
    for target in ("/.env", "/.env", "/.git/config", "/x?id=1 union select 1"):
        counted.miss(target)
    rows = counted.rows()
    assert [CATEGORIES[row.probe - 1] for row in rows] == ["dotfile", "dotfile", "dotfile", "injection"]
    assert rows[0].miss == rows[1].miss != rows[2].miss


def test_what_cannot_be_read_is_malformed(counted: TrafficCounter) -> None:
    for target in ("/%zz", "/%ff", "/a%00b", "no-slash", "/fine%20path"):
        counted.miss(target)
    assert [bool(row.flags & MALFORMED) for row in counted.rows()] == [True, True, True, True, False]


def test_actions_mcp_and_problems_count_as_what_was_sent(counted: TrafficCounter) -> None:
    json = [(b"content-type", b"application/problem+json")]
    counted.ask("/mcp", method="POST", reply=Response(200, json, b"{}"))
    counted.ask("/search.json?query=x", reply=Response(429, json, b"{}"))
    counted.ask(
        "/agent-inbox/submissions/abcdefghijklmnopqrstuvwxyz234567.json",
        reply=Response(404, [(b"content-type", b"text/markdown")], b"#"),
    )
    counted.ask("/posts/old/", leaf=moved("/posts/old/", "/posts/x/"), status=308)
    rows = counted.rows()
    assert [REPRESENTATIONS[row.rep] for row in rows] == ["mcp", "json", "markdown", "other"]
    assert [counted.route(row) for row in rows] == [
        "/mcp",
        "/search.json",
        "/agent-inbox/submissions/{id}.json",
        "(redirect)",
    ]


def test_a_network_is_known_again_on_the_same_day_and_on_no_other(counted: TrafficCounter) -> None:
    for client in (
        "203.0.113.7",
        "203.0.113.200",
        "203.0.114.7",
        "::ffff:203.0.113.9",
        "2001:db8:1:2::1",
        "2001:db8:1:ffff::1",
        "2001:db8:2::1",
        "",
    ):
        counted.ask(client=client)
    same, also, other, mapped, six, its, far, nobody = (row.net for row in counted.rows())
    assert same == also == mapped != other
    assert six == its != far
    assert nobody is None
    counted.later(86_400)
    counted.ask()
    assert counted.rows(HOUR + 24)[0].net not in (same, None)


def test_a_network_key_has_56_bits_and_is_never_zero() -> None:
    address = address_of("203.0.113.7")
    assert address is not None
    assert {0 < network_key(bytes([n] * 32), address) < 2**56 for n in range(200)} == {True}


def test_once_the_salt_is_gone_a_late_event_has_no_network(counted: TrafficCounter) -> None:
    counted.ask()
    counted.later(86_400 + 601)
    (row,) = counted.rows()
    assert row.net is None
    assert counted.spool.salt(HOUR // 24 + 1)
    with pytest.raises(LookupError):
        counted.spool.salt(HOUR // 24)


def test_own_traffic_is_counted_apart(tmp_path: Path) -> None:
    counted = TrafficCounter(tmp_path, ["loopback", "10.1.0.0/16", "ua:Uptime-Kuma"])
    for client, ua in (
        ("127.0.0.1", GPTBOT),
        ("10.1.2.3", GPTBOT),
        ("203.0.113.7", "uptime-kuma/1.0"),
        ("203.0.113.7", "citepress-ping/1"),
    ):
        counted.ask(client=client, ua=ua, reply=Response(200, [], b"", None, (("action", "x", "matched"),)))
    counted.ask(client="10.2.0.1")
    assert len(counted.rows()) == 1
    assert counted.spool.counted(HOUR) == {"self": 4}
    counted.close()


def test_loopback_is_own_traffic_only_where_the_service_listens_to_others() -> None:
    assert [default_rules(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "archive.example")] == [  # noqa: S104
        (),
        (),
        (),
        ("loopback",),
        ("loopback",),
    ]


def test_assets_are_only_counted(counted: TrafficCounter) -> None:
    asset = leaf("/theme/site.css", JSON, "a{}")
    counted.ask(leaf=asset.__class__(**{name: getattr(asset, name) for name in asset.__slots__} | {"kind": "asset"}))
    assert counted.rows() == []
    assert counted.spool.counted(HOUR) == {"assets": 1}


def test_a_referrer_becomes_an_operator_and_our_own_pages_none(counted: TrafficCounter) -> None:
    counted.ask(ua=CHROME, fields={"referer": "https://chatgpt.com/c/secret"})
    counted.ask("/posts/x/?utm_source=chatgpt.com", ua=CHROME)
    counted.ask(ua=CHROME, fields={"referer": "http://archive.test/posts/"})
    first, second, third = counted.rows()
    assert counted.names.operators()[first.source] == "OpenAI"
    assert (second.source, third.source) == (first.source, 0)


def test_an_address_on_a_fresh_list_verifies_and_beside_a_complete_one_contradicts(tmp_path: Path) -> None:
    (address_list,) = (list_ for list_ in shipped() if list_.key == "openai-gptbot")
    fetched = {
        "url": address_list.url,
        "fetched_at": "2026-11-21T00:00:00+00:00",
        "digest": "sha-256:x",
        "prefixes": ["192.0.2.0/24", "2001:db8:5::/48"],
    }
    (tmp_path / "ranges.json").write_bytes(orjson.dumps({"format": 1, "lists": {address_list.key: fetched}}))
    counted = TrafficCounter(tmp_path, ranges=Ranges.load(tmp_path / "ranges.json", datetime(2026, 11, 22, tzinfo=UTC)))
    for client in ("192.0.2.9", "2001:db8:5::77", "203.0.113.7", ""):
        counted.ask(client=client)
    counted.ask(client="192.0.2.9", ua=CHROME)
    assert [VERIFY[row.verify] for row in counted.rows()] == [
        "ip_range",
        "ip_range",
        "contradicted",
        "claimed",
        "claimed",
    ]
    counted.close()


def test_a_flood_of_new_user_agents_is_resolved_by_the_five_hundred(counted: TrafficCounter) -> None:
    for number in range(600):
        counted.ask(ua=f"flood-{number}-{counted.state}/1")
    names = [counted.family(row) for row in counted.rows()]
    assert names.count("(unresolved)") == 100
    assert counted.spool.counted(HOUR) == {"unresolved": 100}


def test_unlisted_automation_leaves_no_text_unless_it_is_switched_on(counted: TrafficCounter) -> None:
    for _ in range(9):
        counted.ask(ua=OWL)
    assert len(counted.rows()) == 9
    assert counted.spool.unlisted(HOUR, HOUR + 1) == {}


def test_product_names_of_unlisted_automation_are_kept_from_the_fifth_time_on_where_that_is_switched_on(
    tmp_path: Path,
) -> None:
    counted = TrafficCounter(tmp_path, keep_unlisted=True)
    for _ in range(4):
        counted.ask(ua=OWL)
    assert len(counted.rows()) == 4
    assert counted.spool.unlisted(HOUR, HOUR + 1) == {}
    for _ in range(3):
        counted.ask(ua=OWL)
    counted.writer.turn()
    assert counted.spool.unlisted(HOUR, HOUR + 1) == {"Owl-Fetcher/1.0": 7}
    counted.later(3600)
    counted.ask(ua=OWL)
    counted.writer.turn()
    assert counted.spool.unlisted(HOUR + 1, HOUR + 2) == {}
    counted.spool.forget_unlisted()
    assert counted.spool.unlisted(0, HOUR + 2) == {}
    counted.close()


@pytest.mark.parametrize(
    ("agent", "version"),
    [
        ("Acme-Research-Fetcher/0.3 (+https://acme.example/bot)", "Acme-Research-Fetcher/0.3"),
        ("Mozilla/5.0 (compatible; AcmeBot/2.10.4; run by Jane Doe, +49 171 5551234)", "AcmeBot/2.10"),
        ("crawler of John Smith, john.smith@example.org, Musterstrasse 7", ""),
        ("jane.doe-bot/1.0", ""),
        ("jane_doe_bot/1.0", ""),
        ("AcmeBot/49.171.5551234", ""),
        ("AcmeBot/491715551234", ""),
        ("sk4live9bot/1.0", ""),
        ("AcmeBot/1.0-sk3cr3t", ""),
        ("https://acme.example/bot/1.0", ""),
        ("AcmeBot/1.0?key=abc", "AcmeBot/1.0"),
        ("AI2Bot/1.0", "AI2Bot/1.0"),
        ("bot-51Hx9Q2/1.0", ""),
        ("AcmeBot/1.0@host.example", ""),
        ("JaneDoe/1.0 (spider)", ""),
        ("fetch 203.0.113.7 2001:db8::7", ""),
        ("A" * 60 + "Bot/1.0", ""),
        ("\xfcbot/1.0 crawl\x00er/1.0", ""),
        ("oneBot/1 twoBot/2 threeBot/3 fourBot/4", "oneBot/1 twoBot/2 threeBot/3"),
    ],
)
def test_nothing_but_names_of_programs_and_short_versions_may_be_kept(agent: str, version: str) -> None:
    assert product_tokens(agent.encode("latin-1")) == version


def test_browsers_and_named_families_leave_no_text(counted: TrafficCounter) -> None:
    for _ in range(9):
        counted.ask(ua=CHROME)
        counted.ask(ua=GPTBOT)
    counted.writer.turn()
    assert counted.spool.unlisted(HOUR, HOUR + 1) == {}


def test_notes_are_counted_by_the_hour(counted: TrafficCounter) -> None:
    notes = (("mcp.tool", "get_record", "ok"), ("mcp.tool", "get_record", "ok"), ("limit", "mcp", "limited"))
    counted.ask("/mcp", method="POST", reply=Response(200, [], b"", None, notes))
    counted.writer.turn()
    assert counted.spool.counted(HOUR) == {"gateway/limit/mcp/limited": 1, "gateway/mcp.tool/get_record/ok": 2}


def test_a_sign_of_life_is_written_once_in_ten_seconds(counted: TrafficCounter) -> None:
    for seconds in (0, 3, 3, 3, 3, 10, 1800):
        counted.later(seconds)
        counted.writer.turn()
    assert counted.spool.observed_slots(HOUR) == 4


def test_a_new_edition_brings_new_materials_and_keeps_the_ids_of_the_old(counted: TrafficCounter) -> None:
    counted.ask()
    (before,) = counted.rows()
    counted.materials = ["posts/y", "posts/x"]
    counted.ask()
    new = leaf("/posts/y/", JSON, "y", route="/posts/{slug}/", canonical="posts/y")
    counted.ask(leaf=new)
    _, again, added = counted.rows()
    assert again.material == before.material
    assert added.material not in (0, before.material)
    assert {row.canonical_path for row in counted.names.all_materials().values()} == {"posts/x", "posts/y"}


@pytest.mark.parametrize(
    ("target", "path"),
    [(b"/a%2Fb", "/a/b"), (b"/\xff", None), (b"", "/"), (b"/" + b"%41" * 900, "/" + "A" * 682 + "%")],
)
def test_a_target_is_read_as_the_door_reads_it(target: bytes, path: Any) -> None:
    assert readable(target[:2048]) == path
