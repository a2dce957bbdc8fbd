"""Compares the ratios that a run of the benches measured with those that documents state.

A bench records a ratio by name. ``bench/stated.toml`` lists the ratios that documents state, with the words in which
they state them; a test finds these words in the documents.
"""

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "CITEPRESS_BENCH_FIGURES"
"""Names the file that collects the ratios of a run."""
STATED = Path(__file__).with_name("stated.toml")
TOLERANCE = 1.15
"""A ratio that is worse by more than this factor makes what is stated false."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A ratio as documents state it; less is better."""

    name: str
    what: str
    value: float
    document: str
    words: str


def stated() -> list[Stated]:
    """Every stated ratio, in the order of the file."""
    return [Stated(name, **row) for name, row in tomllib.loads(STATED.read_text("utf-8")).items()]


def record(name: str, value: float) -> None:
    """Note a ratio for the table at the end of a run; a bench that is run alone only prints."""
    if path := os.environ.get(VARIABLE):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps([name, value]) + "\n")


def measured(path: Path) -> dict[str, float]:
    """The ratios that were recorded in a file; the last of each name."""
    return dict(map(json.loads, path.read_text("utf-8").splitlines())) if path.exists() else {}


def compared(ratios: Mapping[str, float]) -> tuple[list[str], bool]:
    """A line for each stated ratio with the measured one, and whether every statement is true."""
    lines, holds = [], True
    for row in stated():
        if row.name not in ratios:
            lines.append(f"{row.what:60} stated {row.value:6.2f}   not measured in this run")
            continue
        ratio = ratios[row.name] / row.value
        verdict = "ok" if ratio <= TOLERANCE else "WORSE THAN STATED"
        holds = holds and ratio <= TOLERANCE
        lines.append(f"{row.what:60} stated {row.value:6.2f}   measured {ratios[row.name]:6.2f}   {verdict}")
    return lines, holds
