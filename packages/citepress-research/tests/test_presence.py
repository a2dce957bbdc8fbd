"""Presence and the registries: made from files, with their evidence, and honest where there is none."""

from typing import Any

import pytest

from citepress.contract.cache import Cache
from citepress_research.kinds.experiments import DiscoveryExperiment
from citepress_research.kinds.presence import REGISTRY
from citepress_research.kinds.probes import RecallProbeSet
from citepress_research.pages import presence, registries
from support.archive import SITE, entry
from support.documents import faults, json_of, leaves, whole

ULIDS = [f"01ARZ3NDEKTSV4RRFFQ69G5FA{end}" for end in "ABCDEFG"]
CAPTURE = {"url": "https://elsewhere.example/list", "captured_at": "2026-03-02", "sha256": "a" * 64}
SPAN = {"start": "2026-03-01", "end": "2026-04-01"}
ENTRIES: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "PresenceEvent",
        {
            "id": ULIDS[0],
            "event": "listed",
            "occurred_at": "2026-03-02",
            "observed_at": "2026-03-05",
            "subject": "posts/one",
            "surface": {"name": "A list", "kind": "directory", "url": "https://elsewhere.example/list"},
            "assurance": "observed",
            "evidence": [CAPTURE],
        },
    ),
    (
        "PresenceEvent",
        {
            "id": ULIDS[1],
            "event": "published",
            "occurred_at": "2026-03-03",
            "observed_at": "2026-03-03",
            "subject": "home",
            "surface": {"name": "Our feed", "kind": "feed", "url": "/feed.json"},
            "assurance": "self_reported",
        },
    ),
    (
        "AttentionPacket",
        {
            "id": ULIDS[2],
            "subject": "posts/one",
            "headline": "Look",
            "abstract": "It is so.",
            "license": "CC0-1.0",
            "valid_until": "2027-01-01",
            "representations": [{"type": "text/markdown", "url": "/posts/one.md", "digest": "sha-256=:AAAA:"}],
        },
    ),
    (
        "SyndicationReceipt",
        {
            "id": ULIDS[3],
            "packet_id": ULIDS[2],
            "target": "A hub",
            "protocol": "websub",
            "submitted_at": "2026-03-04",
            "status": "accepted",
            "http_status": 202,
            "assurance": "self_reported",
        },
    ),
    (
        "AuthorityAsset",
        {
            "id": ULIDS[4],
            "kind": "schema",
            "url": "/presence-schema.json",
            "first_published": "2026-03-01",
            "verification": {"method": "fetched and compared", "status": "stale"},
        },
    ),
    (
        "ReturnSignal",
        {
            "id": ULIDS[5],
            "kind": "backlink",
            "subject": "posts/one",
            "source_host": "elsewhere.example",
            "window": SPAN,
            "count": 2,
            "assurance": "observed",
            "evidence": [CAPTURE],
        },
    ),
)
METRIC = {
    "id": "M1",
    "definition": "Fetches of a page a day.",
    "unit": "requests/page/day",
    "source": {"report": "x", "json_pointer": "/x"},
}
EXPERIMENT = DiscoveryExperiment.model_validate(
    {
        "id": "twins",
        "version": 1,
        "title": "Do twins draw readers?",
        "status": "registered",
        "registered_at": "2026-03-07",
        "hypotheses": [
            {"id": "H1", "statement": "They do.", "null_hypothesis": "They do not.", "direction": "increase"}
        ],
        "design": {
            "type": "switchback",
            "unit": "week",
            "arms": [{"id": "on", "description": "With."}],
            "population": "All.",
            "assignment": {"method": "hash", "seed": "s", "ratio": [1]},
        },
        "baseline": {"window": SPAN, "metric_values": []},
        "metrics": {"primary": METRIC},
        "power": {"alpha": 0.05, "power": 0.8, "minimum_detectable_effect": 0.2, "sample_size": 10},
        "windows": {
            "baseline": SPAN,
            "exposure": {"start": "2026-04-01", "end": "2026-05-01"},
            "analysis": {"start": "2026-05-01", "end": "2026-05-08"},
        },
        "stopping_rules": [{"kind": "fixed_horizon", "rule": "At the end."}],
        "analysis_plan": {"estimator": "Mean.", "test": "t", "multiple_comparisons": "holm"},
        "deviations": [{"at": "2026-04-09", "text": "A day was lost."}],
    }
)
PROBES = RecallProbeSet.model_validate(
    {
        "id": "core",
        "version": "1.0.0",
        "frozen_at": "2026-03-06",
        "probes": [
            {
                "id": "p1",
                "question": "What is it?",
                "canonical_citations": [{"canonical_path": "posts/one", "role": "primary"}],
                "reference_answer": "So.",
            }
        ],
        "scoring": {"rules": [{"id": "canonical_exact", "points": 1.0}]},
    }
)
FAMILIES = (*presence.ALL, *registries.ALL)
LISTS = ("presence_events", "attention_packets", "syndication_receipts", "authority_assets", "return_signals")


def presence_documents(**registered: Any) -> Any:
    return leaves(whole(entry("posts/one"), registered=registered))


def full() -> Any:
    entries = tuple(REGISTRY.models[name].model_validate(members) for name, members in ENTRIES)
    return presence_documents(presence=entries, experiments=(EXPERIMENT,), probes=(PROBES,))


@pytest.mark.parametrize("build", [presence_documents, full], ids=["empty", "full"])
@pytest.mark.parametrize("name", ["presence", "discovery-experiments", "recall-probes"])
def test_a_report_from_files_fits_the_schema_that_it_names(build: Any, name: str) -> None:
    edition = build()
    document = json_of(edition[f"/{name}.json"])
    schema = json_of(edition[document["schema"].removeprefix(SITE.base_url)])
    assert schema["$id"] == document["schema"]
    assert faults(schema, document) == []
    assert document["methodology_url"] == SITE.url(f"/{name}/#method")
    assert 'id="method"' in edition[f"/{name}/"].body.decode()


@pytest.mark.parametrize(
    ("name", "folder", "lists"),
    [
        ("presence", "presence", LISTS),
        ("discovery-experiments", "experiments", ["experiments"]),
        ("recall-probes", "probes", ["probe_sets"]),
    ],
)
def test_an_empty_folder_gives_empty_lists_and_is_named(name: str, folder: str, lists: list[str]) -> None:
    edition = presence_documents()
    document = json_of(edition[f"/{name}.json"])
    assert all(document[member] == [] for member in lists)
    assert [row["pointer"] for row in document["missing"]] == [""]
    assert f"content/{folder}/" in document["missing"][0]["reason"]
    assert f"content/{folder}/" in edition[f"/{name}.md"].body.decode()


def test_a_folder_with_files_misses_nothing() -> None:
    edition = full()
    assert all(
        json_of(edition[f"/{name}.json"])["missing"] == []
        for name in ("presence", "discovery-experiments", "recall-probes")
    )


def test_presence_counts_what_it_lists() -> None:
    document = json_of(full()["/presence.json"])
    summary = document["summary"]
    assert summary["entries"] == sum(len(document[member]) for member in LISTS) == len(ENTRIES)
    assert list(summary["by_kind"].values()) == [len(document[member]) for member in LISTS]
    assert summary["events_by_type"] == {"listed": 1, "published": 1}
    assert summary["by_assurance"] == {"observed": 2, "self_reported": 2}


def test_presence_lists_the_newest_event_first_and_knows_its_day() -> None:
    document = json_of(full()["/presence.json"])
    assert [event["id"] for event in document["presence_events"]] == [ULIDS[1], ULIDS[0]]
    assert document["as_of"] == "2026-03-05T00:00:00Z"


def test_a_path_in_a_presence_file_is_published_as_an_address() -> None:
    document = json_of(full()["/presence.json"])
    assert document["presence_events"][0]["surface"]["url"] == SITE.url("/feed.json")
    assert document["attention_packets"][0]["representations"][0]["url"] == SITE.url("/posts/one.md")
    assert document["authority_assets"][0]["url"] == SITE.url("/presence-schema.json")
    assert document["presence_events"][1]["surface"]["url"] == "https://elsewhere.example/list"


def test_the_presence_schema_defines_the_five_types_by_name() -> None:
    schema = json_of(presence_documents()["/presence-schema.json"])
    assert set(REGISTRY.models) <= set(schema["$defs"])
    assert faults(schema | {"$ref": "#/$defs/ReturnSignal", "required": [], "properties": {}}, {"id": "no ulid"})


def test_the_presence_page_links_subjects_and_evidence() -> None:
    edition = full()
    text = edition["/presence.md"].body.decode()
    assert f"[Title of one]({SITE.url('/posts/one/')})" in text
    assert "[evidence](https://elsewhere.example/list)" in text


def test_an_experiment_is_published_with_the_digest_of_its_frozen_part() -> None:
    edition = full()
    document = json_of(edition["/discovery-experiments.json"])
    (experiment,) = document["experiments"]
    assert experiment["registration_digest"] == EXPERIMENT.registration_digest
    assert "written_digest" not in experiment
    assert document["as_of"] == "2026-04-09T00:00:00Z"
    assert EXPERIMENT.registration_digest in edition["/discovery-experiments.md"].body.decode()


def test_a_probe_set_without_runs_says_so() -> None:
    edition = full()
    (probes,) = json_of(edition["/recall-probes.json"])["probe_sets"]
    assert probes["digest"] == PROBES.frozen_digest
    assert probes["runs"] == []
    text = edition["/recall-probes.md"].body.decode()
    assert "none recorded" in text
    assert f"| What is it? | [Title of one]({SITE.url('/posts/one/')}) |" in text


def test_reports_from_files_are_kept_a_minute_and_never_replaced_while_serving() -> None:
    edition = presence_documents()
    for path in ("/presence/", "/presence.json", "/discovery-experiments.json", "/recall-probes.json"):
        assert (edition[path].cache, edition[path].live) == (Cache.LIVE, False)
