"""The demo archive sells: every topic title a bundle, some of them a verdict; and never a bundle off topic."""

import json
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest

from citepress.admin.build import Builder
from citepress.archive.model import Archive
from citepress.base import clock
from citepress.operations import OperationContext
from citepress.settings import from_environment
from citepress_payments.products import LIMIT_BYTES, PRODUCTS, InsufficientEvidence
from support.demo import DEMO
from support.operation_context import operation_context

BUNDLE, COVERAGE = PRODUCTS
ASKED = datetime(2026, 11, 22, tzinfo=UTC)
OFF_TOPIC = (
    "banana bread recipe",
    "how to prune roses in winter",
    "best football stadium in Madrid",
    "what happened to prices of GPUs?",
)

TOPICS = sorted((DEMO / "content" / "topics").glob("*.md"))


@cache
def archive() -> Archive:
    checked, _ = Builder(from_environment(DEMO, environ={})).check(clock.now())
    assert checked is not None
    return checked


TITLES = [path.read_text("utf-8").split("\n")[1].removeprefix("title:").strip(' "') for path in TOPICS]
"""Read from the lines themselves: reading the whole archive takes seconds, and every process of a run collects."""


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> OperationContext:
    return operation_context(archive(), tmp_path_factory.mktemp("demo"), inbox=False)


def bundle(at: OperationContext, query: str, **members: Any) -> bytes | InsufficientEvidence:
    return BUNDLE.prepare(BUNDLE.ask.model_validate({"query": query, **members}), at, ASKED)


def coverage(at: OperationContext, topic: str) -> bytes | InsufficientEvidence:
    return COVERAGE.prepare(COVERAGE.ask.model_validate({"topic": topic}), at, ASKED)


@pytest.mark.parametrize("title", TITLES)
def test_every_topic_title_sells_a_bundle_worth_its_price(at: OperationContext, title: str) -> None:
    sold = bundle(at, title)
    assert isinstance(sold, bytes)
    assert len(sold) <= LIMIT_BYTES
    document = json.loads(BUNDLE.result.model_validate_json(sold).model_dump_json())
    assert len(document["sources"]) == 8
    assert len(document["citations"]) >= 15
    assert document["missing"]["open_questions"]
    assert document["disagreement"]
    assert sum(bool(source["passages"]) for source in document["sources"]) >= 7
    assert sum(bool(source["claims"]) for source in document["sources"]) >= 2
    assert all(source["matched"] for source in document["sources"])


def test_the_titles_are_those_of_all_topics() -> None:
    assert sorted(TITLES) == sorted(entry.record.title for entry in archive().collections["topics"])


def test_a_bundle_on_a_topic_is_of_the_topic(at: OperationContext) -> None:
    members = {
        entry.record.title: {member.record.id for member in archive().topics[entry.record.slug]}
        for entry in archive().collections["topics"]
    }
    shares = []
    for title, ids in members.items():
        document = json.loads(bundle(at, title))  # type: ignore[arg-type]
        shares.append(
            sum(source["id"] in ids or source["kind"] == "topics" for source in document["sources"])
            / len(document["sources"])
        )
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
    first = [source["id"] for source in json.loads(bundle(at, "Agent security"))["sources"]]  # type: ignore[arg-type]
    sold = bundle(at, "Agent security", known_stable_ids=first)
    assert isinstance(sold, bytes)
    assert not {source["id"] for source in json.loads(sold)["sources"]} & set(first)
