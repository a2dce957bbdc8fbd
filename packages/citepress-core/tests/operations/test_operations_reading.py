"""What the reading operations answer, over a real edition and a real index."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from citepress.contract.operation import Effect, Refusal, models, routes
from citepress.operations import ContextProvider, OperationContext
from citepress.operations.registry import ALL, offered
from citepress.search.build import build
from support.folder import post
from support.operation_context import edition, operation_context
from support.server_with_actions import RECORDS, small

Call = Callable[..., Any]
ORDER = [
    "search_archive",
    "get_record",
    "contextualize_url",
    "whats_new",
    "what_changed",
    "get_forecasts",
    "list_agent_tasks",
    "get_latest_metadox",
    "get_topic_brief",
    "get_submission_status",
    "list_paid_tools",
    "submit_source",
    "submit_correction",
    "submit_usage_receipt",
]


def test_the_operations_stand_in_the_order_of_the_contract() -> None:
    assert [operation.name for operation in ALL] == ORDER
    assert [operation.name for operation in offered(ALL, submissions=False)] == [
        name for name in ORDER if not name.startswith("submit_")
    ]
    assert all(len(operation.description) <= 300 for operation in ALL)
    assert {operation.effect is Effect.SUBMIT for operation in ALL if operation.name.startswith("submit_")} == {True}


def test_an_operation_with_a_route_is_a_row_of_the_table() -> None:
    rows = {(row.method, row.path): row for row in routes(ALL)}
    assert {("GET", "/search.json"), ("GET", "/search/"), ("POST", "/agent-inbox/correction")} <= rows.keys()
    assert {row.shape for row in rows.values() if row.shape} == set(models(ALL))


def test_a_cut_member_is_a_member_of_the_answer() -> None:
    assert [
        operation.name
        for operation in ALL
        if operation.tool and operation.tool.cut and operation.tool.cut not in operation.answer.model_fields
    ] == []


def test_search_gives_hits_with_their_passage(call: Call) -> None:
    answer = call("search_archive", query="oldest entry", limit=1)
    assert [hit.id for hit in answer.results] == ["posts/caching"]
    assert answer.results[0].snippet == "Caches drop the oldest entry first."
    assert answer.results[0].url == "https://archive.test/posts/caching/"


def test_search_goes_on_where_the_door_says(call: Call) -> None:
    whole = [hit.id for hit in call("search_archive", query="caches", limit=20).results]
    parts = [call("search_archive", query="caches", limit=2, start=start) for start in range(0, len(whole), 2)]
    assert [hit.id for part in parts for hit in part.results] == whole
    assert [part.more for part in parts] == [True] * (len(parts) - 1) + [False]


def test_search_narrows_by_kind_topic_origin_and_date(call: Call) -> None:
    def ids(**filters: Any) -> set[str]:
        return {hit.id for hit in call("search_archive", query="cache token what", limit=20, **filters).results}

    assert {id_.partition("/")[0] for id_ in ids(kinds=["posts", "topics"])} == {"posts", "topics"}
    assert ids(origin="spec.example") <= {"posts/caching", "posts/tokens", "signals/release"}
    assert ids(since="2026-05-20", kinds=["posts"]) == {"posts/caching", "posts/tokens"}
    assert "forecasts/rain" in ids(topic="caches")


def test_a_search_without_a_match_suggests_words_that_the_archive_knows(call: Call) -> None:
    answer = call("search_archive", query="tokns")
    assert (answer.total, answer.results) == (0, [])
    assert "tokens" in answer.suggestions
    assert call("search_archive", query=answer.suggestions[0]).results


def test_a_search_in_a_topic_that_is_not_there_names_the_near_one_and_suggests_nothing_that_it_would_not_find(
    call: Call,
) -> None:
    answer = call("search_archive", query="tokns", topic="cache")
    assert (answer.total, answer.results, answer.suggestions) == (0, [], [])
    assert answer.notes == ('There is no topic "cache"; near it: caches.',)


@pytest.mark.parametrize(
    ("origin", "notes"),
    [
        ("spec.example", ()),
        ("docs.spec.example", ('There is no origin "docs.spec.example"; pages there belong to "spec.example".',)),
        ("none", ('There is no origin "none"; contextualize_url names the origin of a page.',)),
        ("a b/", ('There is no origin "a b/"; contextualize_url names the origin of a page.',)),
    ],
)
def test_an_unknown_origin_is_told(call: Call, origin: str, notes: tuple[str, ...]) -> None:
    assert call("search_archive", query="cache", origin=origin).notes == notes


@pytest.mark.parametrize(
    "name",
    [
        "posts/caching",
        "/posts/caching/",
        "posts/caching.md",
        "posts/caching.json",
        "https://archive.test/posts/caching/",
        "https://archive.test/posts/caching.md?x=1",
        "http://archive.test/posts/caching",
    ],
)
def test_a_record_is_found_by_its_id_and_by_every_address(call: Call, name: str) -> None:
    answer = call("get_record", id=name)
    assert (answer.id, answer.notes) == ("posts/caching", ())
    assert answer.fields["claims"] == [
        {
            "text": "Caches drop the oldest entry first.",
            "source_refs": ["spec"],
            "quote": None,
            "id": "claim-f89a24fe",
            "quote_check": None,
        }
    ]
    assert answer.fields.keys().isdisjoint({"id", "sources", "body_markdown", "updates"})
    assert (answer.sources[0].id, answer.sources[0].url) == ("spec", "https://spec.example/one")


def test_an_alias_answers_with_its_target_and_says_so(call: Call) -> None:
    answer = call("get_record", id="https://archive.test/old/caching/")
    assert answer.id == "posts/caching"
    assert answer.notes == ("https://archive.test/old/caching/ is a former address of posts/caching.",)


def test_sections_are_read_by_their_ids(call: Call) -> None:
    listed = call("get_record", id="posts/caching").sections
    assert [(part.id, part.title) for part in listed] == [
        ("text", "How caches forget"),
        ("first-part", "First part"),
        ("second-part", "Second part"),
        ("second-part-2", "Second part"),
    ]
    answer = call("get_record", id="posts/caching", sections=["second-part-2", "first-part"])
    assert answer.body_markdown == "## Second part\n\nAgain.\n\n## First part\n\nIt begins.\n\n### Inside\n\nDeeper."


def test_an_unknown_section_is_answered_with_those_there_are(call: Call) -> None:
    with pytest.raises(Refusal) as caught:
        call("get_record", id="posts/caching", sections=["third-part"])
    assert (caught.value.code, caught.value.member) == ("not_found", "sections")
    assert caught.value.near == ("text", "first-part", "second-part", "second-part-2")


@pytest.mark.parametrize(
    "name",
    [
        "posts/cashing",
        "https://elsewhere.example/posts/caching/",
        "posts/caching/x",
        "../../etc/passwd",
        "\0lookup",
        "http://[x",
    ],
)
def test_what_is_no_record_is_not_found(call: Call, name: str) -> None:
    with pytest.raises(Refusal) as caught:
        call("get_record", id=name)
    assert caught.value.code == "not_found"


def test_an_unknown_record_is_answered_with_the_nearest(call: Call) -> None:
    with pytest.raises(Refusal) as caught:
        call("get_record", id="posts/cachings")
    assert caught.value.near[0] == "posts/caching"


def test_a_withdrawn_record_is_gone_with_its_reason(call: Call) -> None:
    with pytest.raises(Refusal) as caught:
        call("get_record", id="posts/withdrawn")
    assert caught.value.code == "gone"
    assert caught.value.message == "posts/withdrawn was withdrawn on 2026-05-15. It was wrong."


def test_long_lists_of_a_record_are_cut_and_told(tmp_path: Path, call: Call) -> None:
    claims = [{"text": f"Claim {number} " + "says something long. " * 20} for number in range(60)]
    sources = [f"https://s.example/{number}" for number in range(22)]
    at = operation_context(
        small(tmp_path / "c", {"posts/long": post(claims=claims, sources=sources)}), tmp_path / "s", inbox=False
    )
    answer = call("get_record", id="posts/long", at=at)
    assert len(answer.fields["claims"]) == 10
    assert len(answer.sources) == 20
    assert answer.notes == (
        "fields.claims: 50 more are left out; the record has all.",
        "sources: 2 more are left out; the record has all.",
    )


def test_new_records_are_those_first_published_since(call: Call) -> None:
    answer = call("whats_new", since="2026-05-10")
    assert [(item.id, item.published_at.day) for item in answer.items] == [
        ("metadox/may", 1),
        ("posts/tokens", 12),
        ("posts/caching", 10),
    ]
    assert (answer.total, answer.more) == (3, False)
    assert [item.id for item in call("whats_new").items] == ["metadox/may"]


def test_news_and_changes_can_have_an_end(call: Call) -> None:
    may = call("whats_new", since="2026-05-10", until="2026-05-12")
    assert ([item.id for item in may.items], may.total) == (["posts/caching"], 1)
    assert call("whats_new", since="2026-05-13", until="2026-05-13").total == 0
    changes = call("what_changed", since="2026-01-01", until="2026-05-21")
    assert [change.id for change in changes.changes] == ["posts/caching", "posts/withdrawn"]
    assert call("what_changed", id="posts/caching", until="2026-05-20").total == 0
    assert call("what_changed", id="posts/caching", until="2026-05-21").total == 1


def test_changes_are_narrowed_by_topic(call: Call) -> None:
    assert [change.id for change in call("what_changed", since="2026-01-01", topic="caches").changes] == [
        "posts/tokens",
        "posts/caching",
    ]
    assert call("what_changed", topic="cache").notes == ('There is no topic "cache"; near it: caches.',)


def test_new_records_are_paged_and_narrowed(call: Call) -> None:
    whole = call("whats_new", since="2000-01-01", limit=50)
    parts = [call("whats_new", since="2000-01-01", limit=3, start=start) for start in range(0, whole.total, 3)]
    assert [item.id for part in parts for item in part.items] == [item.id for item in whole.items]
    assert [part.more for part in parts] == [True] * (len(parts) - 1) + [False]
    assert {item.id for item in call("whats_new", since="2000-01-01", kinds=["posts", "signals"]).items} == {
        "posts/caching",
        "posts/tokens",
        "signals/release",
    }
    assert call("whats_new", since="2000-01-01", kinds=["posts"], topic="caches").total == 2


def test_a_poll_with_the_former_as_of_misses_nothing(call: Call, context: OperationContext) -> None:
    assert [item.id for item in call("whats_new", since=context.as_of.isoformat()).items] == ["metadox/may"]


def test_changes_are_told_with_note_and_credit(call: Call) -> None:
    answer = call("what_changed", since="2026-01-01")
    assert [(entry.id, entry.change) for entry in answer.changes] == [
        ("forecasts/snow", "resolved"),
        ("forecasts/sun", "resolved"),
        ("posts/tokens", "updated"),
        ("posts/caching", "corrected"),
        ("posts/withdrawn", "withdrawn"),
    ]
    assert answer.changes[2].note is None, "its lastmod is all that is said"
    corrected = answer.changes[3]
    assert (corrected.note, corrected.credit) == ("The number was wrong.", "A reader")
    assert [change.id for change in call("what_changed", since="2026-01-01", kinds=["posts"]).changes] == [
        "posts/tokens",
        "posts/caching",
        "posts/withdrawn",
    ]


def test_the_history_of_one_record_has_no_beginning(call: Call) -> None:
    answer = call("what_changed", id="/old/caching/")
    assert [(change.change, change.revision) for change in answer.changes] == [("corrected", 2)]
    assert (answer.since, len(answer.notes)) == (None, 1)
    assert [change.change for change in call("what_changed", id="posts/withdrawn").changes] == ["withdrawn"]
    with pytest.raises(Refusal, match="There is no record"):
        call("what_changed", id="posts/none")


def test_open_forecasts_come_first_and_the_score_is_of_resolved_ones(call: Call) -> None:
    answer = call("get_forecasts", status="all")
    assert [(forecast.id, forecast.status, forecast.outcome) for forecast in answer.forecasts] == [
        ("forecasts/rain", "open", None),
        ("forecasts/snow", "resolved", "yes"),
        ("forecasts/sun", "resolved", "no"),
    ]
    assert (answer.total, answer.resolved, answer.unscored, answer.brier_score) == (3, 2, 0, 0.17)
    assert [forecast.scored for forecast in answer.forecasts] == [False, True, True]
    assert answer.forecasts[0].resolution_criteria == "It did."
    assert [forecast.id for forecast in call("get_forecasts").forecasts] == ["forecasts/rain"]
    assert call("get_forecasts", resolves_before="2026-09-01").total == 0
    assert call("get_forecasts", status="resolved", topic="caches").brier_score is None


def test_open_tasks_name_the_tool_that_takes_the_answer(call: Call) -> None:
    answer = call("list_agent_tasks")
    assert [(task.id, task.how_to_submit, task.related_record) for task in answer.tasks] == [
        ("agent-tasks/verify", "submit_source", "posts/caching"),
    ]
    assert call("list_agent_tasks", task="refresh_source").total == 0


def test_the_newest_metadox_is_read(call: Call) -> None:
    answer = call("get_latest_metadox")
    assert (answer.id, answer.period.start.month) == ("metadox/may", 5)
    assert [hit.id for hit in answer.records] == ["posts/caching"]
    assert [part.id for part in answer.sections] == ["what-was-new"]


def test_without_a_metadox_there_is_a_sentence(tmp_path: Path, call: Call) -> None:
    at = operation_context(small(tmp_path / "c", {"posts/x": post()}), tmp_path / "s", inbox=False)
    with pytest.raises(Refusal, match="There is no metadox yet"):
        call("get_latest_metadox", at=at)


@pytest.mark.parametrize("name", ["caches", "Caches", "topics/caches", " cAcHes "])
def test_a_topic_is_read_by_slug_or_name(call: Call, name: str) -> None:
    answer = call("get_topic_brief", topic=name)
    assert (answer.id, answer.short_answer) == ("topics/caches", "The newest.")
    assert [(item.text, item.record) for item in answer.evidence] == [("A case.", "posts/caching")]
    assert {"posts/tokens", "posts/caching", "forecasts/rain"} <= {hit.id for hit in answer.newest}
    assert answer.feed_url == "https://archive.test/feeds/caches.xml"


def test_an_unknown_topic_is_answered_with_the_nearest(call: Call) -> None:
    with pytest.raises(Refusal) as caught:
        call("get_topic_brief", topic="cachess")
    assert caught.value.near == ("caches",)


def test_without_products_the_list_is_empty_and_says_why(call: Call) -> None:
    answer = call("list_paid_tools")
    assert (answer.products, answer.handshake, answer.capabilities_url) == ([], [], None)
    assert "everything is free" in answer.notes[0]


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("search_archive", {"query": ""}, "at least 1 character"),
        ("search_archive", {"query": "x" * 2001}, "at most 2000 characters"),
        ("search_archive", {"query": "x", "kinds": ["post"]}, '"post" is not one of posts, signals'),
        ("search_archive", {"query": "x", "limit": 21}, "less than or equal to 20"),
        ("whats_new", {"since": "yesterday"}, "is not a date"),
        ("whats_new", {"since": "2026-05-01" + " " * 30}, "is not a date"),
        ("get_forecasts", {"status": "closed"}, '"closed" is not one of open, resolved, void, all'),
        ("contextualize_url", {"url": "ftp://a.example/"}, "must be an https URL"),
        ("get_record", {"id": "x"}, "at least 3 characters"),
    ],
)
def test_arguments_out_of_bounds_are_refused_in_words(
    call: Call, name: str, arguments: dict[str, Any], says: str
) -> None:
    with pytest.raises(ValidationError, match=says):
        call(name, **arguments)


def test_a_new_edition_or_a_new_index_has_a_world_of_its_own(tmp_path: Path) -> None:
    first = operation_context(small(tmp_path / "c"), tmp_path / "s", inbox=False)
    shown = [first.edition]
    worlds = ContextProvider(lambda: shown[0], tmp_path / "s/index", first.now)
    before = worlds()
    assert before is worlds() is not None
    later = small(tmp_path / "d", RECORDS | {"posts/new": post()})
    shown[0] = edition(later, tmp_path / "s")
    between = worlds()
    assert between is not None
    assert (between.edition is shown[0], between.index is before.index) == (True, True)
    build(later, tmp_path / "s/index")
    after = worlds()
    assert after is not None
    assert after.index.record("posts/new") is not None


def test_an_index_that_is_lost_or_damaged_leaves_the_former_one(tmp_path: Path) -> None:
    first = operation_context(small(tmp_path / "c"), tmp_path / "s", inbox=False)
    worlds = ContextProvider(lambda: first.edition, tmp_path / "s/index", first.now)
    before = worlds()
    (tmp_path / "s/index/facts.json").unlink()
    after = worlds()
    assert before is not None
    assert after is not None
    assert after.index is before.index
    assert worlds() is after
    assert ContextProvider(lambda: first.edition, tmp_path / "nowhere", first.now)() is None
    assert ContextProvider(lambda: None, tmp_path / "s/index", first.now)() is None
