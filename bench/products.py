"""The paid products: ``python bench/products.py [RECORDS] [--size CHARACTERS] [--few]``.

Measures ``prepare`` as a preflight calls it, over a built edition and its index: p50, p95 and the slowest, how many
requests are sold, and how large results are. A question is five words of a sentence of one record; the bars are 5 s
and 512 KB. Words are drawn as natural text draws them, few often and many seldom; ``--few`` leaves the 47 words of
``synthetic.py``, with which nearly all records are near-duplicates of each other.

The default is 10000 records; 100000 take minutes and gigabytes.
"""

import argparse
import random
import re
import tempfile
import time
from itertools import accumulate
from pathlib import Path
from statistics import quantiles

import meter
import synthetic

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.operations import OperationContext
from citepress.search.state import INDEX_FOLDER as INDEX
from citepress.search.state import open_index
from citepress.settings import Settings
from citepress_payments.products import PRODUCTS, InsufficientEvidence, Product

QUESTIONS = 200
WARM = 20
VOCABULARY = 30_000
DRAWN = 300_000


def natural() -> list[str]:
    """Words as often as natural text has them."""
    chance = random.Random(7)  # noqa: S311  (the same text in every run)
    words = ["".join(chance.choices("abcdefghilmnoprstuvw", k=chance.randint(3, 10))) for _ in range(VOCABULARY)]
    return chance.choices(words, cum_weights=list(accumulate(1 / (rank + 3) for rank in range(VOCABULARY))), k=DRAWN)


def synthetic_context(folder: Path, records: int, size: int) -> OperationContext:
    """A synthetic archive, built and indexed."""
    root, state = folder / "archive", folder / "state"
    synthetic.write(root, records, size)
    builder = Builder(Settings(root, state))
    built = builder.build(clock.now())
    builder.index(built, clock.now())
    return OperationContext(open_edition(built.pointer), open_index(state / INDEX), clock.now)


def questions(root: Path, records: int) -> list[str]:
    """Five words of a sentence of one record each."""
    chance = random.Random(8)  # noqa: S311
    queries = []
    for _ in range(QUESTIONS):
        text = (root / f"content/posts/note-{chance.randrange(records)}.md").read_text("utf-8")
        words = chance.choice(re.findall(r"^- ([A-Z].+)\.$", text, re.MULTILINE)).split()
        queries.append(" ".join(chance.sample(words, 5)))
    return queries


def measure(product: Product, member: str, queries: list[str], at: OperationContext, **members: int) -> None:
    """One line."""
    asks = [product.ask.model_validate({member: text, **members}) for text in queries]
    for ask in asks[:WARM]:
        product.prepare(ask, at, at.now())
    spent, sizes = [], []
    for ask in asks:
        start = time.perf_counter()
        prepared = product.prepare(ask, at, at.now())
        spent.append(1000 * (time.perf_counter() - start))
        sizes += [] if isinstance(prepared, InsufficientEvidence) else [len(prepared)]
    cuts = quantiles(spent, n=20)
    size = f"{sum(sizes) / len(sizes) / 1000:6.1f} KB, at most {max(sizes) / 1000:6.1f} KB" if sizes else "nothing sold"
    name = " ".join([product.id, *(f"{key}={value}" for key, value in members.items())])
    print(
        f"{name:34} p50 {cuts[9]:7.1f} ms  p95 {cuts[18]:7.1f} ms  at most {max(spent):7.1f} ms  sold"
        f" {len(sizes) / len(asks):4.0%}  {size}",
        flush=True,
    )


def main() -> None:
    """Build, ask, tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("records", type=int, nargs="?", default=10_000)
    parser.add_argument("--size", type=int, default=2000, help="characters of a body")
    parser.add_argument(
        "--few", action="store_true", help="keep the few words with which nearly all records are near-duplicates"
    )
    options = parser.parse_args()
    if not options.few:
        synthetic.WORDS[:] = natural()
    with tempfile.TemporaryDirectory(prefix="citepress-bench-") as scratch:
        start = time.perf_counter()
        at = synthetic_context(Path(scratch), options.records, options.size)
        stats = at.index.stats
        print(
            f"{stats.records:,} records, {stats.clusters:,} groups of near-duplicates, built in"
            f" {time.perf_counter() - start:.0f} s; {meter.load()}"
        )
        queries = questions(Path(scratch) / "archive", options.records)
        bundle, coverage = PRODUCTS
        measure(bundle, "query", queries, at)
        measure(bundle, "query", queries, at, max_sources=20)
        measure(coverage, "topic", queries, at)


if __name__ == "__main__":
    main()
