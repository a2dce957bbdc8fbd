"""Whatever the question and the archive, an answer takes a bounded number of reads of the index."""

import pytest

from citepress.search.index import SPARE, UNKNOWN_WORDS, SearchIndex
from citepress.search.models import Query
from support.counted_searches import LIMIT, QUESTIONS, SEARCHES, counted_calls, crowded_index


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    return crowded_index(tmp_path_factory.mktemp("index"))


@pytest.mark.parametrize("text", QUESTIONS.values(), ids=QUESTIONS)
def test_a_search_reads_what_it_shows(index: SearchIndex, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with counted_calls(monkeypatch) as calls:
        page = index.search(Query(text, limit=LIMIT))

    assert len(page.hits) <= LIMIT
    assert calls["stored"] <= LIMIT
    assert calls["words"] <= UNKNOWN_WORDS
    assert sum(calls[name] for name in SEARCHES) <= 2 * SPARE
