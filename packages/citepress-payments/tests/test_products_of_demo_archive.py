"""The products on the demo archive: the verdict keeps its bars, and a bundle is sufficient."""

from datetime import UTC, datetime

import pytest

from citepress.search.index import SearchIndex
from citepress_payments.products.bundle.bundle import bundle
from citepress_payments.products.coverage.thresholds import judge_of
from citepress_payments.products.coverage.verdict import coverage
from support.demo_search import demo_index

ASKED = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    return demo_index(tmp_path_factory.mktemp("demo") / "search")


def test_the_archive_calibrates_its_own_verdict_within_the_bars(index: SearchIndex) -> None:
    calibration = judge_of(index).calibration
    assert calibration.basis == "archive"
    assert calibration.errors is not None
    assert calibration.errors.off_topic_called_covered <= 0.03
    assert calibration.errors.absent_auc >= 0.72


@pytest.mark.parametrize(
    "topic", ["sandbox defaults of coding agents", "MCP stateless transport and sessions", "agent memory in files"]
)
def test_topics_of_the_archive_are_covered(index: SearchIndex, topic: str) -> None:
    assert coverage(index, topic, ASKED).verdict == "covered"


@pytest.mark.parametrize(
    "topic", ["baking sourdough bread at home", "offside rule in women's football", "history of the Hanseatic League"]
)
def test_foreign_topics_are_never_covered(index: SearchIndex, topic: str) -> None:
    assert coverage(index, topic, ASKED).verdict in ("not_covered", "invalid")


def test_a_bundle_is_sufficient_and_leaves_known_records_out(index: SearchIndex) -> None:
    question, known_ids = (
        "do memory files beat memory services for coding agents",
        ["posts/agent-memory-settles-into-files"],
    )
    result = bundle(index, question, ASKED, 6, known_ids)
    assert result.sufficient
    assert 2 <= len(result.sources) <= 6
    assert not {source.id for source in result.sources} & set(known_ids)
    assert any(point.supporting and point.contradicting for point in result.points)
