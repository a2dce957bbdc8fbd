"""Search on the demo archive: its own recall probes find their canonical records, and the verdict keeps its bars."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from citepress.archive.assemble import assemble
from citepress.archive.model import Archive
from citepress.content.folder import read
from citepress.kinds import ALL, REGISTRIES
from citepress.search.build import build
from citepress.search.index import SearchIndex
from citepress.search.models import Query
from citepress.search.state import open_index
from citepress_payments.products.bundle.bundle import bundle
from citepress_payments.products.coverage.calibration import warnings
from citepress_payments.products.coverage.judge import judge_of
from citepress_payments.products.coverage.verdict import coverage

ASKED = datetime(2026, 11, 22, tzinfo=UTC)
DEMO = Path(__file__).parents[4] / "examples/agent-archive"


@pytest.fixture(scope="module")
def archive() -> Archive:
    return assemble(read(DEMO, ALL, REGISTRIES, moment=datetime(2027, 1, 1, tzinfo=UTC)), ALL, REGISTRIES)


@pytest.fixture(scope="module")
def index(archive: Archive, tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    folder = tmp_path_factory.mktemp("demo") / "search"
    build(archive, folder)
    return open_index(folder)


def test_every_record_and_dataset_is_indexed(archive: Archive, index: SearchIndex) -> None:
    assert (index.stats.records, index.stats.datasets) == (len(archive.entries), len(archive.datasets))
    assert index.stats.as_of == archive.as_of


def test_recall_probes_find_a_canonical_record(archive: Archive, index: SearchIndex) -> None:
    probes = [probe for probe_set in archive.registered["probes"] for probe in probe_set.probes]  # type: ignore[attr-defined]
    ranks = []
    for probe in probes:
        wanted = {cited.canonical_path for cited in probe.canonical_citations}
        probe_set = [hit.id in wanted for hit in index.search(Query(probe.question, limit=5)).hits]
        ranks.append(probe_set.index(True) if True in probe_set else 5)
    assert sum(rank == 0 for rank in ranks) >= 0.8 * len(ranks)
    assert sum(rank < 5 for rank in ranks) >= 0.95 * len(ranks)


def test_the_archive_calibrates_its_own_verdict_within_the_bars(index: SearchIndex) -> None:
    calibration = judge_of(index).calibration
    assert calibration.basis == "archive"
    assert calibration.errors is not None
    assert calibration.errors.off_topic_called_covered <= 0.03
    assert calibration.errors.absent_auc >= 0.72
    assert warnings(calibration) == ()


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
