"""How far stated probabilities can be believed: ``python bench/retrieval/reliability.py FOLDER FOLDER...``.

Files each collection as authors write: records with a summary, a nugget and claims with sources, 150 and 5,000 of them
(``--records`` takes other numbers; 100000 takes an hour). Where a collection has fewer documents, further records are
put together from sentences of documents that answer no question. Each archive is asked its own questions, the same
with the records that answer them left out (near-miss), the same without what resembles these either (absent), and
the questions of the other collections (off-topic). Prints the shares of each that are called covered and the expected
calibration error where half of what is asked is covered, as the verdict states it; beside it the error after two
numbers were fitted on the other collections, and the error that a perfect statement has by chance.
``--pictures FOLDER`` draws reliability diagrams as SVG.
"""

import argparse
import math
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import fmean

from calibrated import write_calibrated
from corpora import Collection, load
from fit import some
from peers import DAY

from citepress.search.fields import IndexEntry, sentences_of
from citepress.search.index import SearchIndex
from citepress.search.state import open_index
from citepress_payments.products.coverage import confidence
from citepress_payments.products.coverage.query_run import run_query
from citepress_payments.products.coverage.thresholds import Calibration, judge_of
from citepress_payments.products.coverage.verdict import coverage

QUESTIONS, RESEMBLING, BINS = 50, 20, 10
DRAWN = 50
"""Draws of which questions are covered, for the error by chance."""
CLAIMS, SENTENCES = 3, 8
SLOPES, SHIFTS = [place / 10 for place in range(2, 21)], [place / 5 for place in range(-20, 21)]
"""Numbers that are tried to turn the logit of a probability into that of a better one."""
PANEL, MARGIN = 150, 34
Rated = tuple[float, float, float]
"""(stated probability, 1 where covered, weight)."""


@dataclass(frozen=True)
class Answers:
    """The probabilities that an archive states for each kind of question, and how often it calls them covered."""

    name: str
    calibration: Calibration
    chances: Mapping[str, Sequence[float]]
    partly: float
    """Share of the off-topic questions called partly covered."""

    @property
    def rated(self) -> list[Rated]:
        """What the lines compare: half of the weight is covered; of the rest each kind has a third."""
        weights = {kind: (1.0 if kind == "present" else 1 / 3) / len(rows) for kind, rows in self.chances.items()}
        return [
            (chance, float(kind == "present"), weights[kind]) for kind, rows in self.chances.items() for chance in rows
        ]

    @property
    def confident(self) -> list[Rated]:
        """The same as the confidence of a verdict states it."""
        return [
            (confidence.stated(chance, self.calibration), covered, weight) for chance, covered, weight in self.rated
        ]

    def called(self, kind: str) -> float:
        """Share of the questions of a kind that are called covered."""
        return fmean(chance >= self.calibration.hi for chance in self.chances[kind])


def entry(id_: str, title: str, text: str) -> IndexEntry:
    """A record as an author writes it: what is quoted of it stands in the text too, and claims name a source."""
    sentences = tuple(sentences_of(text))
    summary, nugget = " ".join(sentences[:1]), max(sentences[1:4], key=len, default="")
    claims = sorted(sentences[1:], key=lambda sentence: (-sum(map(str.isdigit, sentence)), sentence))[:CLAIMS]
    source = f"https://source.example/{id_}"
    blocks = tuple(block for block in ((summary,), (nugget,), *((claim,) for claim in claims), sentences) if any(block))
    statements = [{"member": "claims", "text": claim, "sources": [source]} for claim in claims]
    detail = {"statements": statements, "sources": [source], "edges": []}
    return IndexEntry(
        f"posts/{id_}", "posts", title, f"/posts/{id_}/", DAY, DAY, summary=summary, blocks=blocks, detail=detail
    )


def entries(collection: Collection, questions: Mapping[str, str], count: int) -> Iterator[IndexEntry]:
    """So many records: those that answer the questions first, then the other documents, then what is put together."""
    answering = dict.fromkeys(id_ for question in questions for id_ in sorted(collection.judged[question]))
    ids = [id_ for id_ in dict.fromkeys((*answering, *collection.documents)) if id_ in collection.documents][:count]
    yield from (entry(id_, *collection.documents[id_]) for id_ in ids)
    judged = {id_ for gains in collection.judged.values() for id_ in gains}
    spare = [document for id_, document in collection.documents.items() if id_ not in judged]
    sentences = [sentence for _, text in spare for sentence in sentences_of(text)]
    titles, chance = [title for title, _ in spare], random.Random(17)  # noqa: S311  (the same records in every run)
    for number in range(len(ids), count):
        yield entry(f"further-{number}", chance.choice(titles), " ".join(chance.choices(sentences, k=SENTENCES)))


def answers(collection: Collection, others: Sequence[Collection], count: int, folder: Path) -> Answers:
    """Ask an archive of so many records."""
    sample = _fitting(collection, count // 2)
    foreign = [text for other in others for _, text in some(sorted(other.questions.items()))][: 2 * QUESTIONS]
    write_calibrated(list(entries(collection, dict(sample), count)), folder)
    index = open_index(folder)
    ids = {id_: frozenset(f"posts/{document}" for document in collection.judged[id_]) for id_, _ in sample}
    chances = {
        "present": [run_query(index, text).probability for _, text in sample],
        "near-miss": [run_query(index, text, ids[id_]).probability for id_, text in sample],
        "absent": [run_query(index, text, _with_resembling(index, ids[id_])).probability for id_, text in sample],
        "off-topic": [run_query(index, text).probability for text in foreign],
    }
    partly = fmean(coverage(index, text, DAY).verdict == "partially_covered" for text in foreign)
    return Answers(collection.name, judge_of(index).calibration, chances, partly)


def _fitting(collection: Collection, most: int) -> list[tuple[str, str]]:
    """Questions whose answers are no more records than this, the ones with few answers first."""
    sizes = {id_: len(collection.judged[id_]) for id_ in collection.questions}
    chosen: list[tuple[str, str]] = []
    for id_ in sorted(sizes, key=lambda id_: (sizes[id_], id_)):
        most -= sizes[id_]
        if most < 0 or len(chosen) == QUESTIONS:
            break
        chosen.append((id_, collection.questions[id_]))
    return chosen


def _with_resembling(index: SearchIndex, ids: frozenset[str]) -> frozenset[str]:
    return ids | {hit.id for id_ in sorted(ids) for hit in index.related(id_, RESEMBLING)}


def bins(rated: Sequence[Rated]) -> list[tuple[float, float, float]]:
    """(mean stated probability, share that is covered, weight) of each tenth that is stated at all."""
    rows: list[list[Rated]] = [[] for _ in range(BINS)]
    for row in rated:
        rows[min(int(row[0] * BINS), BINS - 1)].append(row)
    sums = [(sum(p * w for p, _, w in part), sum(c * w for _, c, w in part), sum(w for *_, w in part)) for part in rows]
    return [(stated / weight, covered / weight, weight) for stated, covered, weight in sums if weight]


def calibration_error(rated: Sequence[Rated]) -> float:
    """Expected calibration error in ten bins."""
    whole = sum(weight for *_, weight in rated)
    return sum(weight * abs(stated - covered) for stated, covered, weight in bins(rated)) / whole


def error_by_chance(rated: Sequence[Rated]) -> float:
    """The mean error where every statement is exactly right: so much of it comes from the number of questions alone."""
    chance = random.Random(17)  # noqa: S311  (the same figure in every run)
    drawn = ([(stated, float(chance.random() < stated), weight) for stated, _, weight in rated] for _ in range(DRAWN))
    return fmean(map(calibration_error, drawn))


def refitted(rated: Sequence[Rated], slope: float, shift: float) -> list[Rated]:
    """The same with other probabilities."""
    return [(1 / (1 + math.exp(-slope * _logit(chance) - shift)), covered, weight) for chance, covered, weight in rated]


def _logit(chance: float) -> float:
    chance = min(max(chance, 1e-4), 1 - 1e-4)
    return math.log(chance / (1 - chance))


def fitted(rated: Sequence[Rated]) -> tuple[float, float]:
    """The slope and the shift with the least logarithmic loss."""

    def loss(numbers: tuple[float, float]) -> float:
        return -sum(weight * math.log(p if covered else 1 - p) for p, covered, weight in refitted(rated, *numbers))

    return min(product(SLOPES, SHIFTS), key=loss)


def picture(rows: Mapping[str, Sequence[Rated]]) -> str:
    """A reliability diagram for each archive by name: on the line, what is stated is what is measured."""
    wide, high = len(rows) * (PANEL + MARGIN) + MARGIN, PANEL + 2 * MARGIN
    size = f'viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="10" fill="#333">',
        f'<rect width="{wide}" height="{high}" fill="#fff"/>',
    ]
    for place, (name, rated) in enumerate(rows.items()):
        left, bottom = MARGIN + place * (PANEL + MARGIN), MARGIN + PANEL
        title = f"{name}: error {calibration_error(rated):.2f}"
        lines += [
            f'<text x="{left}" y="{MARGIN - 10}" font-size="12">{title}</text>',
            f'<path d="M{left} {bottom}h{PANEL}m0 0v-{PANEL}" stroke="#ccc" fill="none"/>',
            f'<path d="M{left} {MARGIN}v{PANEL}M{left} {bottom}l{PANEL} -{PANEL}" stroke="#999" fill="none"/>',
            f'<text x="{left}" y="{bottom + 14}">0</text><text x="{left + PANEL - 4}" y="{bottom + 14}">1</text>',
            f'<text x="{left + PANEL // 2}" y="{bottom + 26}" text-anchor="middle">stated probability</text>',
        ]
        for stated, covered, weight in bins(rated):
            x, y = left + stated * PANEL, bottom - covered * PANEL
            radius = 2 + 6 * math.sqrt(weight / 2)
            lines.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#2a6f97" fill-opacity="0.7"/>')
    side = MARGIN + PANEL // 2
    lines.append(f'<text transform="rotate(-90 14 {side})" x="14" y="{side}" text-anchor="middle">covered</text></svg>')
    return "\n".join(lines) + "\n"


def report(rows: Sequence[Answers]) -> None:
    """Print a line for each archive."""
    for row in rows:
        numbers = fitted([rated for other in rows if other is not row for rated in other.rated])
        after = calibration_error(refitted(row.rated, *numbers))
        calls = "  ".join(f"{kind} {row.called(kind):.2f}" for kind in row.chances)
        error, confident = calibration_error(row.rated), calibration_error(row.confident)
        chance = error_by_chance(row.confident)
        print(
            f"  {row.name:12} covered from {row.calibration.hi:.2f} | called covered: {calls}"
            f"  off-topic partly {row.partly:.2f} | error {error:.3f}, as stated {confident:.3f},"
            f" by chance {chance:.3f}, refitted {after:.3f} (slope {numbers[0]}, shift {numbers[1]})",
            flush=True,
        )


def main() -> None:
    """Measure every collection at every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--records", type=int, nargs="+", default=[150, 5000])
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args()
    collections = [load(folder) for folder in arguments.folders]
    for count in arguments.records:
        rows = []
        for collection in collections:
            others = [other for other in collections if other is not collection]
            with tempfile.TemporaryDirectory() as scratch:
                rows.append(answers(collection, others, count, Path(scratch) / "index"))
        print(f"{count:,} records")
        report(rows)
        if arguments.pictures:
            (arguments.pictures / f"reliability-{count}.svg").write_text(
                picture({row.name: row.confident for row in rows}), "utf-8"
            )


if __name__ == "__main__":
    main()
