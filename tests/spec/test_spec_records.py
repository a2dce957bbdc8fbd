"""Collections and records: their members, pages and links (specification, "Record kinds and their routes")."""

from collections.abc import Mapping
from typing import Any

import pytest

from support.demo import COLLECTIONS, READ_BY_AGENTS, Demo
from support.proof import proves

SHARED = {
    "schema_version",
    "id",
    "kind",
    "slug",
    "title",
    "summary",
    "canonical_url",
    "html_url",
    "markdown_url",
    "json_url",
    "language",
    "license",
    "published_at",
    "updated_at",
    "revision",
    "topics",
    "tags",
    "sources",
    "source_urls",
    "related",
    "updates",
}
SOURCE = {"url", "title", "publisher", "origin", "published_at", "accessed_at", "role"}
ITEM = {"id", "slug", "title", "summary", "html_url", "markdown_url", "json_url", "published_at", "updated_at"}


@pytest.mark.parametrize(
    "collection",
    [
        proves("kind posts", "posts"),
        proves("kind signals", "signals"),
        proves("kind patterns", "patterns"),
        proves("kind topics", "topics"),
        proves("kind shifts", "shifts"),
        proves("kind deltas", "deltas"),
        proves("kind graveyard", "graveyard"),
        proves("kind projects", "projects"),
        proves("kind systems", "systems"),
        proves("kind learn", "learn"),
    ],
)
@pytest.mark.requirement("convention slug", "GET remaining details", "field schema_version", "members shared")
def test_a_collection_leads_to_every_record_in_three_forms(demo: Demo, collection: str) -> None:
    items = demo.items(collection)
    assert items
    assert len({item["slug"] for item in items}) == len(items)
    for item in items[:3]:
        stem = f"/{collection}/{item['slug']}"
        assert [demo.path(item[f"{form}_url"]) for form in ("html", "markdown", "json")] == [
            stem + "/",
            stem + ".md",
            stem + ".json",
        ]
        page, text, record = (demo.get(stem + end) for end in ("/", ".md", ".json"))
        assert [answer.type.partition(";")[0] for answer in (page, text, record)] == [
            "text/html",
            "text/markdown",
            "application/json",
        ]
        data = record.json()
        assert set(data) >= SHARED
        assert (data["schema_version"], data["id"], data["kind"]) == (1, f"{collection}/{item['slug']}", collection)
        assert {name: data[name] for name in ITEM} == {name: item[name] for name in ITEM}
        assert data["canonical_url"] == data["html_url"]
        assert all(set(source) >= SOURCE and source["role"] in {"primary", "secondary"} for source in data["sources"])
        assert data["source_urls"] == [source["normalized_url"] for source in data["sources"]]


MEMBERS: Mapping[str, set[str]] = {
    "posts": {"retrieval_nugget", "body_markdown", "claims", "corrections"},
    "signals": {"observed_at", "signal_type", "excerpt", "provenance", "related_patterns"},
    "patterns": {
        "statement",
        "status",
        "confidence",
        "evidence",
        "counter_evidence",
        "revision_trigger",
        "revisions",
        "first_observed_at",
    },
    "topics": {"question", "short_answer", "evidence", "open_questions", "feed"},
    "shifts": {"from_state", "to_state", "observed_at", "drivers", "evidence"},
    "deltas": {"verification_level", "buildability_class", "before", "after", "occurred_at"},
    "graveyard": {"born", "died", "cause_of_death", "lessons", "successor"},
    "projects": {"problem", "components", "steps", "effort", "prerequisites"},
    "systems": {"vendor", "interfaces", "limits", "versions", "assessed_at"},
    "learn": {"audience", "level", "minutes", "steps", "outcomes"},
    "forecasts": {"statement", "probability", "made_at", "resolves_at", "resolution_criteria", "status", "resolved_at"},
    "agent-tasks": {"task", "input", "expected_output", "reward", "how_to_submit", "status"},
    "metadox": {"period", "body_markdown", "records"},
}
DECIDING: Mapping[str, set[str]] = {
    "posts": {"retrieval_nugget"},
    "signals": {"signal_type"},
    "patterns": {"confidence"},
    "deltas": {"verification_level", "buildability_class"},
    "forecasts": {"probability"},
    "agent-tasks": {"task"},
}


@pytest.mark.parametrize(
    "collection",
    [
        proves("members posts", "posts"),
        proves("members signals", "signals"),
        proves("members patterns", "patterns"),
        proves("members topics", "topics"),
        proves("members shifts", "shifts"),
        proves("members deltas", "deltas"),
        proves("members graveyard", "graveyard"),
        proves("members projects", "projects"),
        proves("members systems", "systems"),
        proves("members learn", "learn"),
        proves("members forecasts", "forecasts"),
        proves("members agent-tasks", "agent-tasks"),
        proves("members metadox", "metadox"),
    ],
)
@pytest.mark.requirement("fields beyond")
def test_every_record_of_a_kind_has_the_members_of_its_kind(demo: Demo, collection: str) -> None:
    for record in demo.records(collection):
        assert set(record) >= SHARED | MEMBERS[collection], record["id"]


@pytest.mark.requirement("field FieldNoteRecord")
def test_a_field_note_can_be_quoted_and_names_its_sources(demo: Demo) -> None:
    for note in demo.records("posts"):
        assert 0 < len(note["retrieval_nugget"]) <= 400
        assert note["source_urls"]
        ids = {source["id"] for source in note["sources"]}
        assert all(claim["text"] and set(claim["source_refs"]) <= ids for claim in note["claims"])


@pytest.mark.requirement("field RawSignalRecord")
def test_a_raw_signal_says_where_it_came_from_and_which_patterns_it_bears_on(demo: Demo) -> None:
    patterns = {item["id"] for item in demo.items("patterns")}
    for signal in demo.records("signals"):
        provenance = {"collected_by", "method", "source_url", "captured_at", "content_digest", "was_derived_from"}
        assert set(signal["provenance"]) == provenance
        assert signal["related_patterns"]
        assert set(signal["related_patterns"]) <= patterns


@pytest.mark.requirement("field TrendPatternRecord")
def test_a_trend_pattern_can_be_wrong(demo: Demo) -> None:
    for pattern in demo.records("patterns"):
        assert pattern["confidence"]["level"] in {"low", "medium", "high"}
        assert 0 <= pattern["confidence"]["score"] <= 1
        assert pattern["status"] in {"emerging", "established", "contested", "retired"}
        assert pattern["counter_evidence"]
        assert all(trigger["condition"] and trigger["action"] for trigger in pattern["revision_trigger"])


@pytest.mark.requirement("field Delta")
def test_a_delta_says_how_sure_it_is_and_whether_it_can_be_built(demo: Demo) -> None:
    for delta in demo.records("deltas"):
        assert delta["verification_level"] in {"unverified", "single_source", "corroborated", "reproduced"}
        assert delta["buildability_class"] in {"buildable_now", "needs_parts", "research", "not_buildable"}


@pytest.mark.requirement("index shape", "as_of")
@pytest.mark.parametrize("collection", [*COLLECTIONS, *READ_BY_AGENTS])
def test_an_index_lists_its_records_newest_first_with_what_decides(demo: Demo, collection: str) -> None:
    index = demo.json(f"/{collection}.json")
    assert {"schema_version", "kind", "as_of", "count", "items"} <= set(index)
    items = demo.items(collection)
    assert index["count"] == len(items)
    assert all(set(item) >= ITEM | DECIDING.get(collection, set()) for item in items)
    published = [item["published_at"] for item in items]
    assert published == sorted(published, reverse=True)
    assert max(item["updated_at"] for item in items) <= index["as_of"]


@pytest.mark.requirement("field page_count", "signal pages", "convention page")
def test_signal_pages_hold_every_full_record_once(demo: Demo) -> None:
    index = demo.json("/signals.json")
    assert index["page_size"] == 20
    assert index["page_count"] == len(index["pages"]) == -(-index["count"] // 20)
    items: list[Any] = []
    for number in range(1, index["page_count"] + 1):
        answer = demo.get(f"/signals/page/{number}.json")
        page = answer.json()
        assert (page["page"], page["page_count"]) == (number, index["page_count"])
        items += page["items"]
        for member, at in (("prev", number - 1), ("next", number + 1)):
            expected = f"{demo.base}/signals/page/{at}.json" if 1 <= at <= index["page_count"] else None
            assert page[member] == expected
            assert (f'rel="{member}"' in answer.fields["link"]) == bool(expected)
        assert f'<{demo.base}/signals/page/1.json>; rel="first"' in answer.fields["link"]
        assert f'<{demo.base}/signals/page/{index["page_count"]}.json>; rel="last"' in answer.fields["link"]
    assert [record["id"] for record in items] == [item["id"] for item in demo.items("signals")]
    assert items[0] == demo.json(demo.path(items[0]["json_url"]))


@pytest.mark.requirement("signal pages")
@pytest.mark.parametrize("page", ["0", "x", "1.5", "-1", "01", "9999", "1e1", "%31%20", ""])
def test_there_is_no_other_signal_page(demo: Demo, page: str) -> None:
    assert demo.get(f"/signals/page/{page}.json").status == 404


@pytest.mark.requirement("markdown twins")
@pytest.mark.parametrize("collection", COLLECTIONS)
def test_a_markdown_twin_tells_what_it_is_a_twin_of(demo: Demo, collection: str) -> None:
    item = demo.items(collection)[0]
    answer = demo.get(demo.path(item["markdown_url"]))
    head = answer.text.split("---\n")[1]
    for member in ("title:", "description:", "canonical_url:", "date_modified:", "schema_version:", "license:"):
        assert f"\n{member}" in f"\n{head}", member
    assert f'<{item["html_url"]}>; rel="canonical"' in answer.fields["link"]
    assert item["title"] in answer.text
    assert "](/" not in answer.text


@pytest.mark.requirement("html pages")
@pytest.mark.parametrize("collection", COLLECTIONS)
def test_a_page_carries_linked_data_and_its_twins(demo: Demo, collection: str) -> None:
    item = demo.items(collection)[0]
    text = demo.get(demo.path(item["html_url"])).text
    assert '<script type="application/ld+json">' in text
    assert 'property="og:title"' in text
    for form, type_ in (("markdown", "text/markdown"), ("json", "application/json")):
        assert f'href="{item[f"{form}_url"]}"' in text or f'href="{demo.path(item[f"{form}_url"])}"' in text
        assert f'type="{type_}"' in text
    assert 0 < text.index("/llms.txt") < text.index("</header>") + 2000
