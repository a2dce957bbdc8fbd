"""The registries: frozen parts named by digests, and evidence for what is claimed to be seen."""

import copy
import hashlib
import json

import pytest
import rfc8785
from pydantic import ValidationError

from citepress.kinds import REGISTRIES
from citepress_research.kinds.experiments import REGISTRY as EXPERIMENTS
from citepress_research.kinds.experiments import DiscoveryExperiment
from citepress_research.kinds.presence import REGISTRY as PRESENCE
from citepress_research.kinds.presence import AuthorityAsset, PresenceEvent, ReturnSignal, SyndicationReceipt
from citepress_research.kinds.probes import REGISTRY as PROBES
from citepress_research.kinds.probes import RecallProbeSet

WINDOW = {"start": "2026-06-01", "end": "2026-07-01"}
METRIC = {
    "id": "M1",
    "definition": "Reads",
    "unit": "reads/day",
    "source": {"report": "crawler-journeys", "json_pointer": "/x"},
}
EXPERIMENT = {
    "id": "e",
    "version": 1,
    "title": "T",
    "status": "registered",
    "registered_at": "2026-05-01",
    "hypotheses": [{"id": "H1", "statement": "s", "null_hypothesis": "n", "direction": "increase"}],
    "design": {
        "type": "switchback",
        "unit": "week",
        "arms": [{"id": "a", "description": "d"}, {"id": "b", "description": "d"}],
        "assignment": {"method": "hash", "seed": "x", "ratio": [1, 1]},
        "population": "all",
    },
    "baseline": {"window": WINDOW, "metric_values": [{"metric": "M1", "value": 1.5, "n": 10}]},
    "metrics": {"primary": METRIC},
    "power": {"alpha": 0.05, "power": 0.8, "minimum_detectable_effect": 0.2, "sample_size": 8},
    "windows": {"baseline": WINDOW, "exposure": WINDOW, "analysis": WINDOW},
    "stopping_rules": [{"kind": "fixed_horizon", "rule": "r"}],
    "analysis_plan": {"estimator": "e", "test": "t", "multiple_comparisons": "holm"},
}
PROBE_SET = {
    "id": "p",
    "version": "1.0.0",
    "frozen_at": "2026-05-01",
    "probes": [
        {
            "id": "q1",
            "question": "Who?",
            "canonical_citations": [{"canonical_path": "posts/x", "role": "primary"}],
            "reference_answer": "We.",
        }
    ],
    "scoring": {"rules": [{"id": "canonical_exact", "points": 1.0}, {"id": "no_citation", "points": 0}]},
}
ULID = "01KYVJZW00WVERYYJW3H4XYR6E"
CAPTURE = {"url": "https://other.example/", "captured_at": "2026-05-02", "sha256": "0" * 64}
EVENT = {
    "id": ULID,
    "event": "listed",
    "occurred_at": "2026-05-01",
    "observed_at": "2026-05-02",
    "subject": "posts/x",
    "surface": {"name": "A list", "kind": "directory", "url": "https://other.example/"},
    "assurance": "self_reported",
}


def changed(base, path, value):
    result = copy.deepcopy(base)
    at = result
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return result


def expected(entry, loose):
    published = json.loads(entry.model_dump_json(by_alias=True))
    frozen = {key: value for key, value in published.items() if key not in loose}
    return f"sha-256:{hashlib.sha256(rfc8785.dumps(frozen)).hexdigest()}"


def test_registries_are_those_of_the_design():
    assert [registry.name for registry in REGISTRIES] == ["experiments", "probes", "presence"]


def test_the_registration_digest_can_be_recomputed_from_what_is_published():
    entry = DiscoveryExperiment.model_validate(EXPERIMENT)
    assert entry.registration_digest == expected(entry, {"status", "deviations", "result", "registration_digest"})
    assert "written_digest" not in json.loads(entry.model_dump_json())


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["status"], "running"),
        (["deviations"], [{"at": "2026-06-05", "text": "late"}]),
        (["result"], {"decision": "none"}),
    ],
)
def test_status_deviations_and_result_may_change_after_registration(path, value):
    before, after = (
        DiscoveryExperiment.model_validate(variant) for variant in (EXPERIMENT, changed(EXPERIMENT, path, value))
    )
    assert before.registration_digest == after.registration_digest


def test_a_changed_frozen_part_is_a_fault_at_the_written_digest():
    written = {**EXPERIMENT, "registration_digest": DiscoveryExperiment.model_validate(EXPERIMENT).registration_digest}
    assert list(EXPERIMENTS.check(DiscoveryExperiment.model_validate(written))) == []
    touched = DiscoveryExperiment.model_validate(changed(written, ["hypotheses", 0, "statement"], "another"))
    ((location, message),) = EXPERIMENTS.check(touched)
    assert location == ("registration_digest",)
    assert "the frozen part changed" in message


@pytest.mark.parametrize(
    ("path", "value", "location"),
    [
        (["registered_at"], "2026-06-02", ("registered_at",)),
        (["design", "assignment", "ratio"], [1], ("design", "assignment", "ratio")),
        (["windows", "analysis"], {"start": "2026-07-01", "end": "2026-06-30"}, ("windows", "analysis", "end")),
        (["baseline", "metric_values", 0, "metric"], "M9", ("baseline", "metric_values", 0, "metric")),
    ],
)
def test_a_plan_that_contradicts_itself_is_a_fault(path, value, location):
    problems = list(EXPERIMENTS.check(DiscoveryExperiment.model_validate(changed(EXPERIMENT, path, value))))
    assert [at for at, _ in problems] == [location]


def test_the_digest_of_probes_leaves_their_runs_out():
    run = {
        "id": "r",
        "engine": "e",
        "model": "m",
        "mode": "mcp",
        "run_at": "2026-06-01",
        "trials_per_probe": 5,
        "citation_rate": {"value": 0.5, "ci95": [0.4, 0.6]},
        "citation_precision": 0.5,
        "score": 0.4,
        "operator": "self",
    }
    before, after = (RecallProbeSet.model_validate(variant) for variant in (PROBE_SET, {**PROBE_SET, "runs": [run]}))
    published = json.loads(after.model_dump_json(by_alias=True))
    assert published["digest"] == before.frozen_digest == expected(after, {"runs", "digest"})


def test_a_changed_probe_is_a_fault_at_the_written_digest():
    written = {**PROBE_SET, "digest": RecallProbeSet.model_validate(PROBE_SET).frozen_digest}
    assert list(PROBES.check(RecallProbeSet.model_validate(written))) == []
    ((location, message),) = PROBES.check(
        RecallProbeSet.model_validate(changed(written, ["probes", 0, "question"], "What?"))
    )
    assert location == ("digest",)
    assert "the frozen part changed" in message


def test_a_probe_stands_once_in_its_set():
    twice = {**PROBE_SET, "probes": PROBE_SET["probes"] * 2}
    assert [location for location, _ in PROBES.check(RecallProbeSet.model_validate(twice))] == [("probes", 1, "id")]


def test_presence_has_its_five_shapes_by_name():
    assert list(PRESENCE.models) == [
        "PresenceEvent",
        "AttentionPacket",
        "SyndicationReceipt",
        "AuthorityAsset",
        "ReturnSignal",
    ]


def test_the_event_of_a_presence_event_is_published_as_its_type():
    entry = PresenceEvent.model_validate(EVENT)
    published = json.loads(entry.model_dump_json(by_alias=True))
    assert published["type"] == "listed"
    assert "event" not in published
    assert PresenceEvent.model_validate(published) == entry


@pytest.mark.parametrize("assurance", ["observed", "verified"])
def test_what_is_said_to_be_seen_needs_evidence(assurance):
    bare = PresenceEvent.model_validate({**EVENT, "assurance": assurance})
    assert [location for location, _ in PRESENCE.check(bare)] == [("assurance",)]
    assert (
        list(PRESENCE.check(PresenceEvent.model_validate({**EVENT, "assurance": assurance, "evidence": [CAPTURE]})))
        == []
    )


def test_a_verified_receipt_and_asset_name_the_day():
    receipt = SyndicationReceipt.model_validate(
        {
            "id": ULID,
            "packet_id": ULID,
            "target": "hub",
            "protocol": "websub",
            "submitted_at": "2026-05-01",
            "status": "verified",
            "assurance": "self_reported",
        }
    )
    asset = AuthorityAsset.model_validate(
        {
            "id": ULID,
            "kind": "dataset",
            "url": "/datasets/x/",
            "first_published": "2026-05-01",
            "verification": {"method": "read", "status": "verified"},
        }
    )
    assert [location for location, _ in PRESENCE.check(receipt)] == [("verified_at",)]
    assert [location for location, _ in PRESENCE.check(asset)] == [("last_verified_at",), ("evidence",)]


def test_a_count_covers_a_span_that_ends_after_it_began():
    signal = ReturnSignal.model_validate(
        {
            "id": ULID,
            "kind": "referral",
            "subject": "posts/x",
            "source_host": "other.example",
            "count": 3,
            "assurance": "self_reported",
            "window": {"start": "2026-05-02", "end": "2026-05-01"},
        }
    )
    assert [location for location, _ in PRESENCE.check(signal)] == [("window", "end")]


def test_an_identifier_of_presence_is_a_ulid():
    with pytest.raises(ValidationError):
        PresenceEvent.model_validate({**EVENT, "id": "first"})
