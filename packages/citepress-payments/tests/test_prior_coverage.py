"""prior-coverage: each verdict with its evidence, its confidence and how it was decided.

Nothing is sold between the thresholds.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from citepress.base.quotation import quote_digest
from citepress.contract.observation import Observation, QuoteObservation
from citepress.operations import OperationContext
from citepress_payments.products import LIMIT_BYTES, InsufficientEvidence
from citepress_sources.observations_writing import write_observations
from support.operation_context import operation_context
from support.otters import ASKED, COVERAGE, OTTERS, QUESTION
from support.server_with_actions import small


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> OperationContext:
    path = tmp_path_factory.mktemp("otters")
    return operation_context(small(path / "content", OTTERS), path / "state", inbox=False)


def prepared(at: OperationContext, topic: str, **members: Any) -> bytes | InsufficientEvidence:
    return COVERAGE.prepare(COVERAGE.ask.model_validate({"topic": topic, **members}), at, ASKED)


def sold(at: OperationContext, topic: str, **members: Any) -> Any:
    coverage = prepared(at, topic, **members)
    assert isinstance(coverage, bytes), coverage
    assert len(coverage) <= LIMIT_BYTES
    return json.loads(COVERAGE.result.model_validate_json(coverage).model_dump_json())


def test_a_covered_topic_comes_with_dated_evidence_and_its_sources(at: OperationContext) -> None:
    coverage = sold(at, QUESTION)
    assert (coverage["product"], coverage["verdict"], coverage["topic"]) == ("prior-coverage", "covered", QUESTION)
    assert coverage["archive"]["edition"] == at.edition.digest
    assert coverage["newest_evidence_at"] == "2026-05-25T00:00:00Z"
    count = next(entry for entry in coverage["evidence"] if entry["id"] == "signals/count")
    assert (count["kind"], count["url"], count["age_days"], count["fresh"]) == (
        "signals",
        "https://archive.test/signals/count/",
        12,
        True,
    )
    assert count["passage"].startswith("Otters rest beside a weir at night, says count.")
    assert [(entry["url"], entry["publisher"], entry["published_at"]) for entry in count["sources"]] == [
        ("https://count.example/page", "The count", "2026-05-18T00:00:00Z")
    ]
    assert coverage["nearest"] == []


def test_a_verdict_that_rests_on_an_excerpt_that_is_gone_says_so(tmp_path: Path) -> None:
    root, words = tmp_path / "content", "words of the source"
    count = OTTERS["signals/count"].replace("https://a.example/", "https://count.example/page")
    root.mkdir()
    quotes = {quote_digest(words): QuoteObservation(state="not_found", likeness=10)}
    page = Observation(url="https://count.example/page", status="changed", checked_at=ASKED, captured_at=ASKED)
    write_observations(root, [page.model_copy(update={"quotes": quotes})])
    records = OTTERS | {"signals/count": count.replace("observed_at:", f"excerpt: {words}\nobserved_at:")}
    coverage = sold(operation_context(small(root, records), tmp_path / "state", inbox=False), QUESTION)
    weakened = {entry["id"]: entry["weakened"] for entry in coverage["evidence"] if entry["weakened"]}
    assert weakened == {"signals/count": [f"not_found: {words}"]}


def test_a_verdict_that_rests_on_weakened_evidence_says_so(tmp_path: Path) -> None:
    root = tmp_path / "content"
    root.mkdir()
    write_observations(root, [Observation(url="https://count.example/page", status="gone", checked_at=ASKED)])
    at = operation_context(small(root, OTTERS), tmp_path / "state", inbox=False)
    coverage = sold(at, QUESTION)
    assert coverage["verdict"] == "covered"
    weakened = {entry["id"]: entry["weakened"] for entry in coverage["evidence"] if entry["weakened"]}
    assert weakened == {"signals/count": ["gone: https://count.example/page"]}
    count = f"The evidence is {len(coverage['evidence'])} records, of which 1 with weakened evidence."
    assert coverage["decision"]["reason"].endswith(count)


def test_freshness_is_measured_from_the_newest_record(at: OperationContext) -> None:
    assert sold(at, QUESTION, freshness_days=7)["verdict"] == "covered"
    coverage = sold(at, QUESTION, freshness_days=6)
    assert (coverage["verdict"], coverage["freshness_days"]) == ("stale", 6)
    assert not [entry for entry in coverage["evidence"] if entry["fresh"]]


def test_a_topic_that_the_archive_does_not_hold_is_a_verdict_worth_selling(at: OperationContext) -> None:
    coverage = sold(at, "night trains of the northern agent railways and their sleeping cars")
    assert coverage["verdict"] == "not_covered"
    assert coverage["evidence"] == []
    assert coverage["newest_evidence_at"] is None
    assert "railways" in coverage["missing"]
    assert coverage["probability"] <= coverage["decision"]["calibration"]["lo"]
    assert coverage["decision"]["searched_records"] == len(OTTERS)
    assert {entry["id"] for entry in coverage["nearest"]} <= set(OTTERS)


def test_a_topic_with_an_untreated_part_is_partially_covered(at: OperationContext) -> None:
    coverage = sold(at, f"{QUESTION}; agent railways of the frozen volcanic archipelago")
    assert coverage["verdict"] == "partially_covered"
    assert [entry["probability"] > 0.5 for entry in coverage["facets"]] == [True, False]
    assert "each of its parts" in coverage["decision"]["method"][1]


def test_the_decision_can_be_checked(at: OperationContext) -> None:
    coverage = sold(at, QUESTION)
    lines = coverage["decision"]["calibration"]
    assert coverage["probability"] >= lines["hi"] > lines["lo"]
    assert coverage["decision"]["reaching"] >= 1
    assert coverage["confidence"] == {"value": coverage["probability"], "basis": "model", "right": 0, "called": 0}
    assert any(str(lines["hi"]) in step and str(lines["lo"]) in step for step in coverage["decision"]["method"])


@pytest.mark.parametrize("topic", ["zzqx zzqy", "banana bread recipe"])
def test_a_topic_of_unknown_words_is_sold_as_not_covered(at: OperationContext, topic: str) -> None:
    document = sold(at, topic)
    assert (document["verdict"], document["probability"]) == ("not_covered", 0)
    assert (document["evidence"], document["nearest"], document["missing"]) == ([], [], topic.split())


@pytest.mark.parametrize("topic", ["sandboks", "   ", "the of and"])
def test_a_topic_without_content_or_verdict_is_sold_nothing(at: OperationContext, topic: str) -> None:
    thin = prepared(at, topic)
    assert isinstance(thin, InsufficientEvidence)
    assert (thin.evidence_found, thin.minimum) == (0, 1)


def test_between_the_thresholds_nothing_is_sold(at: OperationContext) -> None:
    thin = prepared(at, "agent memory under quarantine")
    assert isinstance(thin, InsufficientEvidence)
    assert "between the thresholds" in thin.detail
    assert thin.evidence_found < thin.minimum


def test_the_same_edition_and_topic_give_the_same_bytes(at: OperationContext, tmp_path: Path) -> None:
    again = operation_context(
        small(tmp_path / "content", dict(reversed(OTTERS.items()))), tmp_path / "state", inbox=False
    )
    assert prepared(at, QUESTION) == prepared(at, QUESTION) == prepared(again, QUESTION)
