"""The demo archive stays worth reading: its counts and its density do not fall, and its data hold what they claim."""

import csv
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from citepress.admin.build import Builder
from citepress.archive.model import Archive
from citepress.base import clock
from citepress.settings import from_environment

ROOT = Path(__file__).parents[2] / "examples/agent-archive"
LEAST = {
    "posts": 24,
    "signals": 60,
    "patterns": 10,
    "topics": 8,
    "shifts": 6,
    "deltas": 6,
    "graveyard": 6,
    "projects": 6,
    "systems": 6,
    "learn": 6,
    "forecasts": 8,
    "agent-tasks": 6,
    "metadox": 3,
}
DATASET = ROOT / "datasets/github-projects-for-ai-engineers"


@cache
def archive() -> Archive:
    checked, faults = Builder(from_environment(ROOT, environ={})).check(clock.now())
    assert faults == ()
    assert checked is not None
    return checked


def records(kind: str) -> list[Any]:
    return [entry.record for entry in archive().collections[kind]]


def words(text: str) -> int:
    return len(re.findall(r"\w\S*", text))


@pytest.mark.parametrize(("kind", "least"), LEAST.items())
def test_every_collection_is_large_enough(kind: str, least: int) -> None:
    assert len(records(kind)) >= least


def test_a_field_note_has_a_nugget_claims_with_sources_and_a_text_of_some_length() -> None:
    for note in records("posts"):
        assert 600 <= words(note.body_markdown) <= 1500, note.id
        assert len([claim for claim in note.claims if claim.source_refs]) >= 3, note.id
        assert 40 <= len(note.retrieval_nugget) <= 400, note.id
        assert note.topics, note.id


def test_every_signal_speaks_for_or_against_a_pattern_and_names_its_provenance() -> None:
    for signal in records("signals"):
        assert signal.supports or signal.contradicts, signal.id
        assert signal.sources, signal.id
        assert signal.provenance.source_url.startswith("https://"), signal.id
    assert sum(bool(signal.contradicts) for signal in records("signals")) >= 8


def test_every_pattern_can_be_proven_wrong() -> None:
    for pattern in records("patterns"):
        assert pattern.counter_evidence, pattern.id
        assert pattern.revision_trigger, pattern.id
        assert pattern.evidence, pattern.id


def test_every_topic_has_a_timeline_and_a_feed() -> None:
    assert all(len(topic.evidence) >= 5 for topic in records("topics"))
    assert all(topic.feed for topic in records("topics"))


def test_two_forecasts_are_resolved_one_each_way() -> None:
    assert {"resolved_yes", "resolved_no"} <= {forecast.status for forecast in records("forecasts")}
    resolved = [forecast for forecast in records("forecasts") if forecast.status.startswith("resolved")]
    assert all(forecast.retrospective and not forecast.scored and forecast.unscored_reason for forecast in resolved), (
        "as /about/ says"
    )


def test_no_record_is_an_orphan_and_links_lead_both_ways() -> None:
    for entry in archive().entries.values():
        assert entry.edges or entry.record.backlinks, entry.record.id
    pairs = {(edge.source, edge.target) for entry in archive().entries.values() for edge in entry.edges}
    assert all(any(b.id == source for b in archive().entries[target].record.backlinks) for source, target in pairs)


def test_every_topic_and_pattern_gathers_records() -> None:
    members = {slug: len(members) for slug, members in archive().topics.items()}
    assert all(members[topic.slug] >= 5 for topic in records("topics"))
    counted = Counter(id_ for signal in records("signals") for id_ in (*signal.supports, *signal.contradicts))
    assert all(counted[pattern.id] >= 4 for pattern in records("patterns"))


def test_sources_come_from_many_origins() -> None:
    assert len(archive().origins) >= 60


def test_summaries_stand_alone() -> None:
    assert all(len(entry.record.summary) <= 300 for entry in archive().entries.values())


def test_registries_hold_what_the_publication_promises() -> None:
    registered = archive().registered
    assert len(registered["experiments"]) >= 2
    assert len(registered["probes"]) >= 2
    assert all(len(probes.probes) >= 10 for probes in registered["probes"])
    assert {type(entry).__name__ for entry in registered["presence"]} == {
        "PresenceEvent",
        "AttentionPacket",
        "SyndicationReceipt",
        "AuthorityAsset",
        "ReturnSignal",
    }


def test_every_probe_points_to_a_record_that_exists() -> None:
    paths = {entry.path.strip("/") for entry in archive().entries.values()}
    cited = [
        c.canonical_path
        for probes in archive().registered["probes"]
        for probe in probes.probes
        for c in probe.canonical_citations
    ]
    assert [path for path in cited if path not in paths] == []


def test_the_dataset_is_typed_unique_and_large() -> None:
    with (DATASET / "v1.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    schema = json.loads((DATASET / "schema.json").read_text("utf-8"))
    (version,) = archive().datasets[0].versions
    check = jsonschema_rs.validator_for(schema)
    assert len(rows) >= 120
    assert len({row["repository"].lower() for row in rows}) == len(rows)
    assert [error.message for row in version.rows for error in check.iter_errors(dict(row))] == []
    assert all(row["url"] == f"https://github.com/{row['repository']}" for row in rows)
    assert all(row["owner"] == row["repository"].split("/")[0] for row in rows)
