"""Every report in every state: it fits its schema, its sums agree, and it says what it does not know."""

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import orjson
import pytest

from citepress.contract.model import Model
from citepress_telemetry.contract.consumption import MachineConsumptionReport
from citepress_telemetry.contract.journeys import CrawlerJourneysReport
from citepress_telemetry.contract.readership import PageReadershipReport
from citepress_telemetry.contract.traffic import BotTrafficHistory, BotTrafficSnapshot
from citepress_telemetry.contract.words import CAVEATS, CLASS_DESCRIPTIONS
from citepress_telemetry.model import Closed, Hour, Pair, Traffic, TrafficKey
from citepress_telemetry.reports.all_reports import reports
from citepress_telemetry.reports.data import DAY_HOURS
from support.documents import closed as closed_schema
from support.documents import faults
from support.rollups import END, FAMILIES, NOW, PAGES, VERSION, add, busy, closed, gathered, listed, setting, walk

MODELS: Mapping[str, type[Model]] = {
    "/machine-consumption.json": MachineConsumptionReport,
    "/crawler-journeys.json": CrawlerJourneysReport,
    "/bot-traffic-latest.json": BotTrafficSnapshot,
    "/bot-traffic-history.json": BotTrafficHistory,
    **{f"/page-readership/{page}.json": PageReadershipReport for page in PAGES},
}
MONTH = 40 * DAY_HOURS


def documents_of(data: Any, **members: Any) -> dict[str, Any]:
    published = reports(setting(**members), data)
    return {path: orjson.loads(body) for path, body in (*published.documents.items(), *published.readership)}


@cache
def state(name: str) -> dict[str, Any]:
    """Reports after a first hour without requests, one busy hour, forty days, and a silent month."""
    hours: dict[str, dict[int, Hour]] = {
        "empty": {END - 1: Hour()},
        "one hour": {END - 1: busy(END - 1)},
        "full": {at: busy(at) for at in range(END - MONTH, END)},
    }
    if name == "silent":
        cursors = [
            closed(END - MONTH, Hour()),
            *(closed(at, Hour(), observed_seconds=0) for at in range(END - MONTH + 1, END)),
        ]
        return documents_of(gathered({at: Hour() for at in range(END - MONTH, END)}, cursors))
    return documents_of(gathered(hours[name]))


STATES = ("empty", "one hour", "full", "silent")


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("path", MODELS)
def test_a_report_fits_its_schema_and_holds_nothing_beyond_it(path: str, name: str) -> None:
    assert faults(closed_schema(MODELS[path]), state(name)[path]) == []


@pytest.mark.parametrize("path", MODELS)
def test_the_same_rollups_give_the_same_bytes(path: str) -> None:
    hours = {at: busy(at) for at in range(END - 30, END)}
    assert documents_of(gathered(hours))[path] == documents_of(gathered(hours))[path]
    assert documents_of(gathered(hours))[path]["generated_at"] == "2026-11-21T05:05:00Z"


@pytest.mark.parametrize("path", MODELS)
def test_a_head_says_what_was_counted_by_what_and_how_to_read_it(path: str) -> None:
    document = state("full")[path]
    assert (document["status"], document["as_of"], document["vantage"]) == ("ok", "2026-11-21T05:00:00Z", "origin")
    assert document["classifier"]["version"] == VERSION
    assert {caveat["code"]: caveat["text"] for caveat in document["caveats"]} == dict(CAVEATS)
    assert document["coverage"]["observed_hours"] == document["coverage"]["expected_hours"]
    assert document["privacy"]["ip_stored"] is False


def test_reports_collect_until_their_longest_window_is_covered() -> None:
    hours = {at: busy(at) for at in range(END - 2 * DAY_HOURS, END)}
    statuses = {path: document["status"] for path, document in documents_of(gathered(hours)).items()}
    assert statuses.pop("/machine-consumption.json") == statuses.pop("/crawler-journeys.json") == "collecting"
    assert set(statuses.values()) == {"ok"}
    missing = documents_of(gathered(hours))["/crawler-journeys.json"]["missing"]
    assert {"pointer": "/windows/30d", "reason": "observation began 2026-11-19T05:00:00Z"} in missing


def test_counts_of_a_class_a_form_and_a_status_add_up_to_the_total() -> None:
    document = state("full")["/machine-consumption.json"]
    whole = document["totals"]["requests"]
    assert whole > 10_000
    assert sum(class_["requests"] for class_ in document["classes"]) == whole
    assert sum(representation["requests"] for representation in document["representations"]) == whole
    assert sum(document["status_classes"].values()) == whole
    assert [class_["class"] for class_ in document["classes"]] == list(CLASS_DESCRIPTIONS)
    assert sum(class_["share"] for class_ in document["classes"]) == pytest.approx(1, abs=0.001)


def test_verification_adds_up_to_the_requests_of_a_family() -> None:
    for window in state("full")["/crawler-journeys.json"]["windows"].values():
        for family in window["families"]:
            assert (
                sum(n or 0 for n in family["verification"].values())
                == family["requests"]
                == sum(family["representations"].values())
            )
            assert (
                sum(family["session_depth"]["histogram"][place]["sessions"] for place in range(13))
                == family["sessions"]
            )


def test_the_snapshot_agrees_with_the_journeys_of_the_same_day() -> None:
    day = state("full")["/crawler-journeys.json"]["windows"]["24h"]["families"]
    top = state("full")["/bot-traffic-latest.json"]["top_families"]
    assert {row["family"]: row["requests"] for row in day} == {row["family"]: row["requests"] for row in top}


def test_lists_are_sorted_by_count_and_then_by_name() -> None:
    document = state("full")["/crawler-journeys.json"]
    families = [(-family["requests"], family["family"]) for family in document["windows"]["30d"]["families"]]
    assert families == sorted(families)
    classes = [
        (-purpose["requests"], purpose["purpose"]) for purpose in state("full")["/machine-consumption.json"]["purposes"]
    ]
    assert classes == sorted(classes)


def test_time_that_nobody_observed_gives_null_and_not_zero() -> None:
    documents = state("silent")
    consumption = documents["/machine-consumption.json"]
    assert consumption["totals"] == dict.fromkeys(consumption["totals"])
    assert all(class_["requests"] is None for class_ in consumption["classes"])
    assert documents["/bot-traffic-latest.json"]["total_requests"] is None
    assert documents["/crawler-journeys.json"]["windows"]["24h"]["families"] == []
    assert documents["/page-readership/home.json"]["windows"]["24h"]["requests"] is None
    assert {"pointer": "", "reason": "nothing was observed in this window"} in consumption["missing"]


def test_an_observed_hour_without_requests_gives_zero_and_not_null() -> None:
    assert state("empty")["/machine-consumption.json"]["totals"]["requests"] == 0
    assert state("empty")["/bot-traffic-latest.json"]["total_requests"] == 0
    assert state("empty")["/page-readership/home.json"]["windows"]["observed"]["requests"] == 0
    assert state("empty")["/bot-traffic-latest.json"]["classes"][0]["previous_requests"] is None, (
        "the day before was not observed"
    )


@pytest.mark.parametrize(("number", "share"), [(19, None), (20, 1.0)])
def test_a_ratio_under_twenty_is_null(number: int, share: float | None) -> None:
    hour = Hour()
    add(hour, 1, number, material=1, at=END - 1)
    hour.referrals = {1: number}
    document = documents_of(gathered({END - 1: hour}))["/machine-consumption.json"]
    assert document["classes"][0]["share"] == share
    assert document["operators"][0]["crawl_to_refer"] == {"crawls": number, "referrals": number, "ratio": share}
    assert document["operators"][0]["catalog_coverage"] == {"read": 1, "of": 4, "share": None}


def test_growth_is_told_over_the_day_before_where_that_was_busy_enough() -> None:
    before, now = Hour(), Hour()
    add(before, 1, 40)
    add(before, 6, 19)
    add(now, 1, 50)
    hours = {END - 48: Hour(), **{at: Hour() for at in range(END - 47, END)}, END - 30: before, END - 2: now}
    crawler, _, human, *_ = documents_of(gathered(hours))["/bot-traffic-latest.json"]["classes"]
    assert (crawler["previous_requests"], crawler["requests"], crawler["change"]) == (40, 50, 0.25)
    assert (human["previous_requests"], human["requests"], human["change"]) == (19, 0, None)


def test_a_window_is_whole_only_when_every_hour_was_and_nothing_was_dropped() -> None:
    hours = {at: Hour() for at in range(END - 24, END)}

    def complete(**members: Any) -> bool:
        cursors = [closed(at, hours[at], **(members if at == END - 3 else {})) for at in hours]
        return bool(documents_of(gathered(hours, cursors))["/bot-traffic-latest.json"]["window"]["complete"])

    assert complete()
    assert complete(observed_seconds=3540)
    assert not complete(observed_seconds=3539)
    assert not complete(counts={"dropped": 1})
    assert not complete(counts={"crashed": 1})


def test_what_was_left_out_is_counted_and_shown() -> None:
    hour = busy(END - 1)
    counts = {"late": 1, "dropped": 2, "unresolved": 3, "self": 4, "assets": 5, "gateway/mcp.tool/x/ok": 9}
    coverage = documents_of(gathered({END - 1: hour}, [closed(END - 1, hour, counts=counts)]))[
        "/machine-consumption.json"
    ]["coverage"]
    crashed = documents_of(gathered({END - 1: hour}, [closed(END - 1, hour, counts={"crashed": 2})]))[
        "/machine-consumption.json"
    ]
    assert (crashed["coverage"]["crashed_workers"], crashed["window"]["complete"]) == (2, False)
    assert any(
        gap["pointer"] == "/coverage/dropped_events" and "2 worker processes" in gap["reason"]
        for gap in crashed["missing"]
    )
    assert [coverage[f"{name}_events"] for name in ("late", "dropped", "unresolved")] == [1, 2, 3]
    assert (coverage["self_traffic_excluded"], coverage["asset_requests_excluded"]) == (4, 5)


def test_a_report_of_almost_nothing_but_our_own_traffic_says_so() -> None:
    hour = Hour()
    add(hour, 1, 10)
    cursors = [closed(END - 1, hour, counts={"self": 91})]
    codes = {
        caveat["code"]
        for caveat in documents_of(gathered({END - 1: hour}, cursors))["/machine-consumption.json"]["caveats"]
    }
    assert "mostly_self_traffic" in codes
    cursors = [closed(END - 1, hour, counts={"self": 90})]
    codes = {
        caveat["code"]
        for caveat in documents_of(gathered({END - 1: hour}, cursors))["/machine-consumption.json"]["caveats"]
    }
    assert "mostly_self_traffic" not in codes


def test_imported_hours_are_counted_and_explained() -> None:
    hours = {END - 2: busy(END - 2), END - 1: busy(END - 1)}
    cursors = [closed(END - 2, hours[END - 2], imported=True, observed_seconds=0), closed(END - 1, hours[END - 1])]
    documents = documents_of(gathered(hours, cursors))
    assert documents["/machine-consumption.json"]["coverage"]["imported_hours"] == 1
    assert "imported_page_views" in {caveat["code"] for caveat in documents["/machine-consumption.json"]["caveats"]}


def test_rows_under_the_least_count_are_left_out_and_counted() -> None:
    hour = Hour()
    add(hour, 1, 30)
    walk(hour, 1, 4, 2)
    pairs = (Pair(1, 2, 3, 5, 2), Pair(1, 3, 2, 4, 2))
    data = gathered({END - 1: hour}, pairs=pairs)
    document = documents_of(data)["/crawler-journeys.json"]
    family = document["windows"]["24h"]["families"][0]
    assert family["entrypoints"] == family["terminal_routes"] == family["transitions"] == []
    assert family["material_transitions"] == {
        "approximate": True,
        "max_undercount": 2,
        "items": [{"from": "posts/one", "to": "posts/two", "count": 5}],
    }
    assert document["privacy"] == {**document["privacy"], "min_count": 5, "suppressed_rows": 3 * 4}
    shown = documents_of(data, min_count=4)["/crawler-journeys.json"]["windows"]["24h"]["families"][0]
    assert shown["entrypoints"] == [{"route": "/robots.txt", "sessions": 4, "share": None}]
    assert shown["transitions"] == [{"from": "/robots.txt", "to": "/posts/{slug}/", "count": 4, "share": None}]
    assert len(shown["material_transitions"]["items"]) == 2


def test_depth_is_told_in_upper_bounds_of_buckets() -> None:
    hour = Hour()
    add(hour, 1, 60)
    for sessions, deep in ((6, 1), (3, 3), (1, 40)):
        walk(hour, 1, sessions, deep)
    depth = documents_of(gathered({END - 1: hour}))["/crawler-journeys.json"]["windows"]["24h"]["families"][0][
        "session_depth"
    ]
    assert (depth["p50"], depth["p90"], depth["max"], depth["mean"]) == (1, 3, 40, 5.5)
    assert [bucket["le"] for bucket in depth["histogram"]] == [*(2**place - 1 for place in range(1, 13)), None]


def test_purposes_are_those_of_named_clients_alone() -> None:
    document = state("full")["/machine-consumption.json"]
    assert [purpose["purpose"] for purpose in document["purposes"]] == ["training", "search", "library"]
    point = state("full")["/bot-traffic-history.json"]["points"][5]
    assert set(point["purposes"]) == {"training", "search", "library"}


def test_the_gateway_counts_what_is_more_than_reading() -> None:
    use = state("one hour")["/machine-consumption.json"]["gateway"]
    assert use["mcp"]["initializes"] == 3
    assert use["mcp"]["protocol_versions"] == {"2026-07-28": 3}
    assert use["mcp"]["tool_calls"] == [{"tool": "search_archive", "calls": 5, "errors": 1}]
    assert use["mcp"]["clients"] == [{"client": "other", "messages": 9}]
    assert (use["mcp"]["resource_reads"], use["mcp"]["prompt_gets"]) == (2, 0)
    assert use["agent_actions"] == [{"action": "contextualize", "requests": 3, "matched": 2}]
    assert use["inbox"] == {"submissions": {"source": 1, "correction": 0, "usage_receipt": 0}, "deduplicated": 1}
    paid = {
        "product": "research-bundle-v2",
        "preflights": 5,
        "payment_required": 4,
        "settled": 1,
        "replays": 0,
        "not_sellable": 0,
    }
    assert use["paid"] == [paid]
    assert use["rate_limited"] == {"rest_json": 6, "mcp": 0}


def test_a_check_of_identity_names_what_it_stands_on() -> None:
    operators = {
        operator["operator"]: operator for operator in state("one hour")["/machine-consumption.json"]["operators"]
    }
    basis = {"method": "ip_range", "source_url": "https://openai.com/gptbot.json", "fetched_at": "2026-11-21T05:05:00Z"}
    assert operators["OpenAI"]["verification_basis"] == [basis]
    assert operators["Anthropic"]["verification_basis"] == []


def test_freshness_speaks_only_of_pages_whose_publication_was_watched() -> None:
    hours = {at: Hour() for at in range(END - 10, END)}
    add(hours[END - 3], 1, 1, material=2, at=END - 3)
    hour = NOW.timestamp() // 3600 * 3600
    moment = {
        name: NOW.fromtimestamp(hour + 3600 * shift, tz=NOW.tzinfo)
        for name, shift in (("old", -20), ("fresh", -7), ("newest", -2))
    }
    pages = (
        listed("posts/one", moment["fresh"]),
        listed("posts/two", moment["newest"]),
        listed("posts/three", moment["old"]),
    )
    documents = documents_of(gathered(hours), catalogue=pages)
    fresh = documents["/machine-consumption.json"]["freshness"]
    assert fresh == {"published": 2, "read": 1, "time_to_first_read_hours": {"p50": 4, "p90": 4}}
    assert documents["/page-readership/posts/one.json"]["time_to_first_read_hours"] == 4
    assert documents["/page-readership/posts/three.json"]["time_to_first_read_hours"] is None


def test_a_page_that_no_client_fetched_is_named_as_never_read() -> None:
    hour = Hour()
    add(hour, 1, 1, material=1, at=END - 1)
    add(hour, 3, 1, material=2, verify=4, at=END - 1)
    never = documents_of(gathered({END - 1: hour}))["/machine-consumption.json"]["never_read"]
    assert never == {"count": 3, "of": 4, "sample": ["posts/one", "posts/three", "posts/two"]}


def test_the_history_marks_where_the_classifier_changed_and_where_logs_were_imported() -> None:
    hours = {at: busy(at) for at in range(END - 72, END)}
    data = gathered(hours)
    first, second, *rest = data.days
    changed = [first, second, *(type(day)(day.day, 0, False, True, ("2026.11.2+aa",), day.traffic) for day in rest)]
    document = documents_of(gathered(hours, days=changed))["/bot-traffic-history.json"]
    assert [annotation["kind"] for annotation in document["annotations"]] == ["classifier_change", "import"]
    again = documents_of(gathered(hours, days=[*changed[:3], *rest[1:]]))["/bot-traffic-history.json"]["annotations"]
    ends = [annotation for annotation in again if annotation["kind"] == "import"]
    assert len(ends) == 2
    assert "observed by the service itself" in ends[1]["text"]
    starts = [point["start"] for point in document["points"]]
    assert all(a < b for a, b in pairwise(starts))
    assert document["points"][0]["classifier_version"] == VERSION
    assert document["points"][-1]["classifier_version"] == "2026.11.2+aa"


def test_named_clients_without_operator_are_in_no_operator_s_row() -> None:
    operators = {operator["operator"] for operator in state("full")["/machine-consumption.json"]["operators"]}
    assert operators == {row.operator for row in FAMILIES if row.operator} - {""}


def test_clients_without_a_name_stand_apart() -> None:
    hour = Hour(traffic={TrafficKey("machine_route", "unknown", 0, 0, 3): Traffic(3, 3)})
    add(hour, 7, 4)
    document = documents_of(gathered({END - 1: hour}))["/bot-traffic-latest.json"]
    assert document["unattributed"]["unlisted_automation"] == 4
    assert document["top_families"] == []


def test_a_cursor_row_without_observation_is_no_observed_hour() -> None:
    cursor = Closed(END - 1, 0, 0, 0, imported=False, classifier=VERSION, counts={})
    assert documents_of(gathered({END - 1: Hour()}, [cursor]))["/machine-consumption.json"]["observed_window"] == {
        "start": None,
        "end": None,
    }
