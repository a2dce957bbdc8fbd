"""Every figure that is not known is null and has its reason, and proven impostors stand in nobody's totals."""

from typing import Any

import orjson

from citepress_telemetry.model import FIRST, Hour
from citepress_telemetry.reports.all_reports import reports
from support.rollups import END, FAMILIES, GATEWAY, add, busy, closed, gathered, setting, walk

BOT, CLAUDE, GOOGLE = 1, 3, 4
MCP = 5


def documents_of(
    hours: dict[int, Hour], *, imported: bool = False, counts: Any = None, **members: Any
) -> dict[str, Any]:
    first = min(hours)
    cursors = [
        closed(at, hour, imported=imported, counts=(counts or {}) if at == first else {}) for at, hour in hours.items()
    ]
    published = reports(setting(**members), gathered(hours, cursors))
    return {path: orjson.loads(body) for path, body in (*published.documents.items(), *published.readership)}


def reasons(document: Any) -> set[str]:
    return {gap["pointer"] for gap in document["missing"] if gap["reason"]}


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for child in value.values() for leaf in leaves(child)]
    return [value]


def test_an_import_knows_nothing_of_the_gateway() -> None:
    hour = Hour()
    add(hour, BOT, 10, rep=MCP)
    document = documents_of({END - 1: hour}, imported=True)["/machine-consumption.json"]
    assert {leaf for leaf in leaves(document["gateway"]) if not isinstance(leaf, list)} == {None}
    assert {"/gateway", "/representations"} <= reasons(document)


def test_beside_imported_hours_the_gateway_says_of_which_hours_it_speaks() -> None:
    live, old = Hour(), Hour()
    live.gateway = dict(GATEWAY)
    cursors = [closed(END - 2, old, imported=True), closed(END - 1, live)]
    published = reports(setting(), gathered({END - 2: old, END - 1: live}, cursors))
    document = orjson.loads(published.documents["/machine-consumption.json"])
    assert document["gateway"]["mcp"]["initializes"] == 3
    (reason,) = (gap["reason"] for gap in document["missing"] if gap["pointer"] == "/gateway")
    assert "1 of 720 hours" in reason


def test_sessions_are_unknown_where_no_request_had_an_address() -> None:
    hour = Hour()
    add(hour, BOT, 3144)
    hour.families[BOT].adrift = 3144
    document = documents_of({END - 1: hour})["/crawler-journeys.json"]
    (family,) = document["windows"]["24h"]["families"]
    members = (family[name] for name in ("sessions", "robots_only_sessions", "cut_sessions", "family_bursts"))
    assert (family["requests"], set(members), family["session_depth"]["histogram"]) == (3144, {None}, [])
    assert "/windows/24h/families/*/sessions" in reasons(document)


def test_sessions_of_some_requests_are_told_with_the_number_that_are_in_none() -> None:
    hour = Hour()
    add(hour, BOT, 9)
    walk(hour, BOT, 2, 2)
    hour.families[BOT].adrift = 5
    document = documents_of({END - 1: hour})["/crawler-journeys.json"]
    assert document["windows"]["24h"]["families"][0]["sessions"] == 2
    assert any(
        gap["pointer"] == "/windows/24h/families/*/sessions" and "5 requests" in gap["reason"]
        for gap in document["missing"]
    )


def test_referrals_of_an_operator_whose_hosts_nobody_knows_are_unknown() -> None:
    hour = Hour()
    add(hour, BOT, 30)
    document = documents_of({END - 1: hour}, basis={})
    (operator,) = document["/machine-consumption.json"]["operators"]
    assert operator["crawl_to_refer"] == {"crawls": 30, "referrals": 0, "ratio": None}
    families = tuple(
        row
        if row.id != BOT
        else type(row)(row.id, "CCBot", "Common Crawl", *["dataset", "crawler", "direct"], "", True)
        for row in FAMILIES
    )
    data = gathered({END - 1: hour}, families={row.id: row for row in families})
    (operator,) = orjson.loads(reports(setting(), data).documents["/machine-consumption.json"])["operators"]
    assert operator["crawl_to_refer"] == {"crawls": 30, "referrals": None, "ratio": None}


def test_nothing_was_verified_is_not_said_where_nothing_could_be() -> None:
    hour = busy(END - 1)
    checked, unchecked, imported = (
        documents_of({END - 1: hour}),
        documents_of({END - 1: hour}, basis={}),
        documents_of({END - 1: Hour()}, imported=True),
    )
    for document, expected in ((checked, True), (unchecked, False), (imported, False)):
        totals = document["/machine-consumption.json"]["totals"]
        assert (totals["contradicted_requests"] is not None) is expected
        assert "/operators/*/verification" in reasons(document["/machine-consumption.json"])
    quiet = Hour()
    add(quiet, CLAUDE, 20)
    document = documents_of({END - 1: quiet}, basis={})
    assert document["/machine-consumption.json"]["totals"]["verified_requests"] is None
    (operator,) = document["/machine-consumption.json"]["operators"]
    assert operator["verification"] == {
        "signed": None,
        "ip_range": None,
        "fcrdns": None,
        "claimed": 20,
        "contradicted": None,
    }
    assert document["/bot-traffic-history.json"]["points"][-1]["verified_requests"] is None


def test_the_page_says_not_known_and_no_per_cent_where_nothing_was_checked() -> None:
    hour = Hour()
    add(hour, CLAUDE, 20)
    page = reports(setting(basis={}), gathered({END - 1: hour})).page
    table = next(block for block in page.blocks if getattr(block, "id", "") == "operators-table")
    texts = [[link.text for link in row] for row in table.rows]  # type: ignore[attr-defined]
    assert "0.0 %" not in texts[0]
    assert "not known" in texts[0]


def test_impostors_stand_apart_and_in_no_total_of_the_operator_whose_name_they_used() -> None:
    hour = Hour()
    add(hour, BOT, 37, material=1, verify=1)
    add(hour, BOT, 77, verify=4)
    documents = documents_of({END - 1: hour})
    consumption = documents["/machine-consumption.json"]
    (operator,) = consumption["operators"]
    assert (operator["requests"], operator["verification"]["contradicted"]) == (37, 77)
    assert (consumption["totals"]["requests"], consumption["totals"]["contradicted_requests"]) == (114, 77)
    classes = {class_["class"]: class_["requests"] for class_ in consumption["classes"]}
    assert (classes["crawler"], classes["machine_route"]) == (37, 77)
    assert consumption["purposes"] == [{"purpose": "training", "requests": 37, "share": 1.0}]
    assert documents["/bot-traffic-latest.json"]["contradicted_requests"] == 77
    point = documents["/bot-traffic-history.json"]["points"][-1]
    assert (point["contradicted_requests"], point["purposes"]) == (77, {"training": 37})


def test_a_name_that_only_impostors_used_is_shown_with_them() -> None:
    hour = Hour()
    add(hour, GOOGLE, 8, verify=4)
    (family,) = documents_of({END - 1: hour})["/crawler-journeys.json"]["windows"]["24h"]["families"]
    assert (family["family"], family["requests"], family["verification"]["contradicted"]) == ("Googlebot", 0, 8)


def test_observation_begins_at_its_moment_and_not_at_the_hour() -> None:
    document = documents_of({END - 1: busy(END - 1)}, counts={FIRST: 3300})["/machine-consumption.json"]
    assert document["coverage"]["observed_from"] == "2026-11-21T04:55:00Z"
