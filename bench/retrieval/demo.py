"""How the demo archive answers sixty graded questions, by kind: ``python bench/retrieval/demo.py [STATE]``.

STATE is the state folder of a published demo archive with vectors; without one it is published here, by words alone.
Prints for each kind and each way to compare: answers at rank 1 and among the first five, and nDCG@5; then of a
research bundle of eight: whether a source answers, whether the first sentence of its answer is from a record that
answers and whether any is, and the share of its sentences from records that answer or help.
"""

import math
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.search.index import SearchIndex
from citepress.search.models import Query
from citepress.search.state import INDEX_FOLDER, open_index
from citepress.settings import Settings
from citepress_payments.products.bundle.bundle import bundle
from citepress_semantic.settings import SearchSettings
from citepress_semantic.source import SemanticVectors

HERE = Path(__file__).parent
QUESTIONS, DEMO = HERE / "demo_questions.toml", HERE.parents[1] / "examples/agent-archive"
DEPTH = 5
DAY = datetime(2026, 11, 23, tzinfo=UTC)
"""The day on which bundles are asked for."""
Graded = dict[str, list[list[str]]]


def gain(ranked: Sequence[str], graded: Sequence[Sequence[str]]) -> float:
    """Normalised discounted cumulative gain of the first five: 2 for an answer, 1 for what helps."""
    grades = {id_: 2 - place for place, ids in enumerate(graded) for id_ in ids}
    gained = sum(grades.get(id_, 0) / math.log2(place + 2) for place, id_ in enumerate(ranked))
    return gained / sum(
        grade / math.log2(place + 2) for place, grade in enumerate(sorted(grades.values(), reverse=True)[:DEPTH])
    )


def figures(index: SearchIndex, questions: Graded) -> tuple[float, float, float]:
    """Share of questions answered at rank 1 and among the first five, and mean nDCG@5."""
    lists = {text: [hit.id for hit in index.search(Query(text, limit=DEPTH)).hits] for text in questions}
    first = fmean(bool(set(lists[text][:1]) & set(graded[0])) for text, graded in questions.items())
    five = fmean(bool(set(lists[text]) & set(graded[0])) for text, graded in questions.items())
    return first, five, fmean(gain(lists[text], graded) for text, graded in questions.items())


def bundle_figures(index: SearchIndex, questions: Graded) -> tuple[float, float, float, float]:
    """Share of bundles with a source that answers, a first sentence and any from one; share of useful sentences."""
    sources, first, some, useful = list[bool](), list[bool](), list[bool](), list[bool]()
    for text, graded in questions.items():
        sold, answering = bundle(index, text, DAY), set(graded[0])
        quoted = [sentence.record for sentence in sold.answer]
        sources.append(any(source.id in answering for source in sold.sources))
        first.append(bool(set(quoted[:1]) & answering))
        some.append(bool(set(quoted) & answering))
        useful += [record in {id_ for ids in graded for id_ in ids} for record in quoted]
    return fmean(sources), fmean(first), fmean(some), fmean(useful or [False])


def indexes(folder: Path) -> Iterator[tuple[str, SearchIndex]]:
    """The index with each way to compare that it has."""
    yield "words", open_index(folder)
    for mode in ("encoder", "table"):
        index = SearchIndex(folder, SemanticVectors(SearchSettings(semantic=True)), mode)
        if index.meaning:
            yield mode, index


def main(state: Path) -> None:
    """Print the figures of each kind, and of all."""
    folder = state / INDEX_FOLDER
    if not folder.exists():
        builder = Builder(Settings(DEMO, state))
        builder.index(builder.build(clock.now()), clock.now())
    kinds: dict[str, Graded] = tomllib.loads(QUESTIONS.read_text("utf-8"))
    kinds["all"] = {text: graded for questions in kinds.values() for text, graded in questions.items()}
    for name, index in indexes(folder):
        print(
            f"{name:18} {'n':>3} {'rank 1':>7} {'in 5':>6} {'nDCG@5':>7}"
            f" {'source':>7} {'first':>6} {'any':>6} {'useful':>7}"
        )
        for kind, questions in kinds.items():
            first, five, ranked = figures(index, questions)
            source, sentence, some, useful = bundle_figures(index, questions)
            print(
                f"  {kind:16} {len(questions):3} {first:7.2f} {five:6.2f} {ranked:7.2f} {source:7.2f} {sentence:6.2f}"
                f" {some:6.2f} {useful:7.2f}"
            )


if __name__ == "__main__":
    if sys.argv[1:]:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(Path(scratch))
