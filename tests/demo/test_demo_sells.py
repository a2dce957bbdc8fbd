"""The demo archive sells: every topic title a bundle, some of them a verdict; and never a bundle off topic."""

import json
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest

from citepress.app import Builder
from citepress.archive.model import Archive
from citepress.base import clock
from citepress.operations import OperationContext
from citepress.operations.products import LIMIT_BYTES, PRODUCTS, InsufficientEvidence
from citepress.settings import from_environment
from support.demo import DEMO
from support.world import world as made

BUNDLE, COVERAGE = PRODUCTS
ASKED = datetime(2026, 11, 22, tzinfo=UTC)
OFF_TOPIC = ("banana bread recipe", "how to prune roses in winter", "best football stadium in Madrid", "what happened to prices of GPUs?")


@cache
def archive() -> Archive:
    found, _ = Builder(from_environment(DEMO, environ={})).check(clock.now())
    assert found is not None
    return found


TITLES = [entry.record.title for entry in archive().collections["topics"]]


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> OperationContext:
    return made(archive(), tmp_path_factory.mktemp("demo"), inbox=False)


def bundle(at: OperationContext, query: str, **members: Any) -> bytes | InsufficientEvidence:
    return BUNDLE.prepare(BUNDLE.ask.model_validate({"query": query, **members}), at, ASKED)


def coverage(at: OperationContext, topic: str) -> bytes | InsufficientEvidence:
    return COVERAGE.prepare(COVERAGE.ask.model_validate({"topic": topic}), at, ASKED)


@pytest.mark.parametrize("title", TITLES)
def test_every_topic_title_sells_a_bundle_worth_its_price(at: OperationContext, title: str) -> None:
    sold = bundle(at, title)
    assert isinstance(sold, bytes)
    assert len(sold) <= LIMIT_BYTES
    found = json.loads(BUNDLE.result.model_validate_json(sold).model_dump_json())
    assert len(found["sources"]) == 8
    assert len(found["citations"]) >= 15
    assert found["missing"]["open_questions"]
    assert found["disagreement"]
    assert sum(bool(one["passages"]) for one in found["sources"]) >= 7
    assert sum(bool(one["claims"]) for one in found["sources"]) >= 2
    assert all(one["matched"] for one in found["sources"])


def test_a_bundle_on_a_topic_is_of_the_topic(at: OperationContext) -> None:
    members = {
        entry.record.title: {one.record.id for one in archive().topics[entry.record.slug]} for entry in archive().collections["topics"]
    }
    shares = []
    for title, ids in members.items():
        found = json.loads(bundle(at, title))  # type: ignore[arg-type]
        shares.append(sum(one["id"] in ids or one["kind"] == "topics" for one in found["sources"]) / len(found["sources"]))
    assert sum(shares) / len(shares) >= 0.9


def test_records_that_agree_are_told_for_most_topics(at: OperationContext) -> None:
    assert sum(bool(json.loads(bundle(at, title))["agreement"]) for title in TITLES) >= len(TITLES) / 2  # type: ignore[arg-type]


def test_topic_titles_sell_verdicts(at: OperationContext) -> None:
    verdicts = [json.loads(sold)["verdict"] for title in TITLES if isinstance(sold := coverage(at, title), bytes)]
    assert verdicts.count("covered") >= 4


def test_a_verdict_is_as_sure_as_the_archives_own_questions_say(at: OperationContext) -> None:
    sold = coverage(at, "sandbox defaults of coding agents")
    assert isinstance(sold, bytes)
    confidence = json.loads(sold)["confidence"]
    assert (confidence["basis"], confidence["called"] >= 20) == ("measured", True)
    assert 0.75 <= confidence["value"] < 1


@pytest.mark.parametrize("query", OFF_TOPIC)
def test_off_topic_sells_no_bundle(at: OperationContext, query: str) -> None:
    thin = bundle(at, query)
    assert isinstance(thin, InsufficientEvidence)
    assert thin.evidence_found < thin.minimum


@pytest.mark.parametrize("topic", OFF_TOPIC)
def test_off_topic_is_never_called_covered(at: OperationContext, topic: str) -> None:
    sold = coverage(at, topic)
    assert isinstance(sold, InsufficientEvidence) or json.loads(sold)["verdict"] == "not_covered"


def test_knowing_the_first_bundle_gives_another(at: OperationContext) -> None:
    first = [one["id"] for one in json.loads(bundle(at, "Agent security"))["sources"]]  # type: ignore[arg-type]
    sold = bundle(at, "Agent security", known_stable_ids=first)
    assert isinstance(sold, bytes)
    assert not {one["id"] for one in json.loads(sold)["sources"]} & set(first)
