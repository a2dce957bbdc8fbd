"""prior-coverage: each verdict with its evidence, its confidence and how it was decided; nothing is sold between the thresholds."""

import json
from pathlib import Path
from typing import Any

import pytest

from citepress.operations import OperationContext
from citepress.operations.products import LIMIT_BYTES, InsufficientEvidence
from support.acting import small
from support.otters import ASKED, COVERAGE, OTTERS, QUESTION
from support.world import world as made


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> OperationContext:
    path = tmp_path_factory.mktemp("otters")
    return made(small(path / "content", OTTERS), path / "state", inbox=False)


def prepared(at: OperationContext, topic: str, **members: Any) -> bytes | InsufficientEvidence:
    return COVERAGE.prepare(COVERAGE.ask.model_validate({"topic": topic, **members}), at, ASKED)


def sold(at: OperationContext, topic: str, **members: Any) -> Any:
    found = prepared(at, topic, **members)
    assert isinstance(found, bytes), found
    assert len(found) <= LIMIT_BYTES
    return json.loads(COVERAGE.result.model_validate_json(found).model_dump_json())


def test_a_covered_topic_comes_with_dated_evidence_and_its_sources(at: OperationContext) -> None:
    found = sold(at, QUESTION)
    assert (found["product"], found["verdict"], found["topic"]) == ("prior-coverage", "covered", QUESTION)
    assert found["archive"]["edition"] == at.edition.digest
    assert found["newest_evidence_at"] == "2026-05-25T00:00:00Z"
    count = next(one for one in found["evidence"] if one["id"] == "signals/count")
    assert (count["kind"], count["url"], count["age_days"], count["fresh"]) == ("signals", "https://archive.test/signals/count/", 12, True)
    assert count["passage"].startswith("Otters rest beside a weir at night, says count.")
    assert [(one["url"], one["publisher"], one["published_at"]) for one in count["sources"]] == [
        ("https://count.example/page", "The count", "2026-05-18T00:00:00Z")
    ]
    assert found["nearest"] == []


def test_freshness_is_measured_from_the_newest_record(at: OperationContext) -> None:
    assert sold(at, QUESTION, freshness_days=7)["verdict"] == "covered"
    found = sold(at, QUESTION, freshness_days=6)
    assert (found["verdict"], found["freshness_days"]) == ("stale", 6)
    assert not [one for one in found["evidence"] if one["fresh"]]


def test_a_topic_that_the_archive_does_not_hold_is_a_verdict_worth_selling(at: OperationContext) -> None:
    found = sold(at, "night trains of the northern agent railways and their sleeping cars")
    assert found["verdict"] == "not_covered"
    assert found["evidence"] == []
    assert found["newest_evidence_at"] is None
    assert "railways" in found["missing"]
    assert found["probability"] <= found["decision"]["calibration"]["lo"]
    assert found["decision"]["searched_records"] == len(OTTERS)
    assert {one["id"] for one in found["nearest"]} <= set(OTTERS)


def test_a_topic_with_an_untreated_part_is_partially_covered(at: OperationContext) -> None:
    found = sold(at, f"{QUESTION}; agent railways of the frozen volcanic archipelago")
    assert found["verdict"] == "partially_covered"
    assert [one["probability"] > 0.5 for one in found["facets"]] == [True, False]
    assert "each of its parts" in found["decision"]["method"][1]


def test_the_decision_can_be_checked(at: OperationContext) -> None:
    found = sold(at, QUESTION)
    lines = found["decision"]["calibration"]
    assert found["probability"] >= lines["hi"] > lines["lo"]
    assert found["decision"]["reaching"] >= 1
    assert found["confidence"] == {"value": found["probability"], "basis": "model", "right": 0, "called": 0}
    assert any(str(lines["hi"]) in step and str(lines["lo"]) in step for step in found["decision"]["method"])


@pytest.mark.parametrize("topic", ["banana bread recipe", "   ", "the of and", "zzqx zzqy", "\x00\x01\x02"])
def test_a_topic_without_known_content_is_sold_nothing(at: OperationContext, topic: str) -> None:
    thin = prepared(at, topic)
    assert isinstance(thin, InsufficientEvidence)
    assert (thin.evidence_found, thin.minimum) == (0, 1)


def test_between_the_thresholds_nothing_is_sold(at: OperationContext) -> None:
    thin = prepared(at, "agent memory under quarantine")
    assert isinstance(thin, InsufficientEvidence)
    assert "between the thresholds" in thin.detail
    assert thin.evidence_found < thin.minimum


def test_the_same_edition_and_topic_give_the_same_bytes(at: OperationContext, tmp_path: Path) -> None:
    again = made(small(tmp_path / "content", dict(reversed(OTTERS.items()))), tmp_path / "state", inbox=False)
    assert prepared(at, QUESTION) == prepared(at, QUESTION) == prepared(again, QUESTION)
