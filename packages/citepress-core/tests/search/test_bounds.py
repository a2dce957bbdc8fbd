"""Whatever the question and the archive, an answer takes a bounded number of reads of the index."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest

from citepress.search.engine import Engine
from citepress.search.index import SPARE, UNKNOWN_WORDS, SearchIndex
from citepress.search.models import Query
from citepress_payments.products.bundle.bundle import KNOWN, MAX_BUNDLE_CANDIDATES, bundle
from citepress_payments.products.coverage.verdict import FACETS, coverage
from support.search import AS_OF, indexed, note

SEARCHES = ("search", "search_preferring", "newest", "matches", "count")
LIMIT, DUPLICATES = 20, 150
QUESTIONS = {
    "nothing": "",
    "spaces": " \t " * 300,
    "one word": "agent",
    "common words": "agent memory " * 40,
    "unknown words": " ".join(f"agnt{number}x" for number in range(70)),
    "quoted passages": " ".join(f'"agent memory {number}"' for number in range(40)),
    "one long passage": '"' + "agent memory settles " * 25 + '"',
    "many parts": "; ".join("agent memory files" for _ in range(30)),
    "identifiers": " ".join(f"agentMemory-files.v{number}" for number in range(40)),
    "no spaces": "\u8a18\u61b6" * 260,
    "surrogates": "\udcff agent \ud800 memory",
}


@contextmanager
def _counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Calls of the engine by method."""
    calls: Counter[str] = Counter()

    def counting(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def counted(*arguments: Any, **named: Any) -> Any:
            calls[name] += 1
            return method(*arguments, **named)

        return counted

    with monkeypatch.context() as patched:
        for name in (*SEARCHES, "words", "stored"):
            patched.setattr(Engine, name, counting(name, getattr(Engine, name)))
        yield calls


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    """Records on one subject, most of them near-duplicates."""
    chance = random.Random(5)  # noqa: S311  (the same records in every run)
    vocabulary = [f"{start}{end}" for start in ("agent", "memory", "file", "tool") for end in ("", "s", "ic", "less")]
    same = "Agent memory settles into plain Markdown files that a person reads and keeps under version control."
    duplicates = [note(f"same-{number}", f"{same} Note {number}.") for number in range(DUPLICATES)]
    others = [note(f"other-{number}", " ".join(chance.choices(vocabulary, k=30)) + ".") for number in range(60)]
    return indexed(tmp_path_factory.mktemp("index"), *duplicates, *others)


@pytest.mark.parametrize("text", QUESTIONS.values(), ids=QUESTIONS)
def test_a_search_reads_what_it_shows(index: SearchIndex, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with _counted(monkeypatch) as calls:
        page = index.search(Query(text, limit=LIMIT))

    assert len(page.hits) <= LIMIT
    assert calls["stored"] <= LIMIT
    assert calls["words"] <= UNKNOWN_WORDS
    assert sum(calls[name] for name in SEARCHES) <= 2 * SPARE


@pytest.mark.parametrize("text", QUESTIONS.values(), ids=QUESTIONS)
def test_a_verdict_reads_ten_records_for_each_part(
    index: SearchIndex, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _counted(monkeypatch) as calls:
        coverage(index, text, AS_OF)

    assert calls["stored"] <= 10 * (1 + FACETS)
    assert calls["words"] <= UNKNOWN_WORDS
    assert sum(calls[name] for name in SEARCHES) <= 2 * SPARE


@pytest.mark.parametrize("text", QUESTIONS.values(), ids=QUESTIONS)
def test_a_bundle_reads_its_candidates_and_what_is_known(
    index: SearchIndex, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    excluded = [f"posts/other-{number}" for number in range(40)]
    with _counted(monkeypatch) as calls:
        bundle(index, text, AS_OF, 20, [*excluded, *(f"posts/unknown-{number}" for number in range(500))])

    assert calls["stored"] <= MAX_BUNDLE_CANDIDATES + 10 + 2 * KNOWN
    assert sum(calls[name] for name in SEARCHES) <= 2 * SPARE
