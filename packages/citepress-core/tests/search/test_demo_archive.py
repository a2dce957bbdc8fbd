"""Search on the demo archive: its own recall probes find their canonical records."""

import pytest

from citepress.archive.model import Archive
from citepress.search.index import SearchIndex
from citepress.search.models import Query
from support.demo_search import demo_archive, demo_index


@pytest.fixture(scope="module")
def archive() -> Archive:
    return demo_archive()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    return demo_index(tmp_path_factory.mktemp("demo") / "search")


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
