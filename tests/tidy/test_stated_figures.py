"""What README and docs state of speed is what ``make bench`` compares."""

import re
import sys

from support.tree import ROOT

sys.path.append(str(ROOT / "bench"))
import figures

RATIO = re.compile(r"\d[\d.]* \u00d7 ")


def test_every_stated_ratio_stands_in_its_document_in_these_words() -> None:
    missing = [row.name for row in figures.stated() if row.words not in (ROOT / row.document).read_text("utf-8")]
    assert missing == []
    assert [row.name for row in figures.stated() if not row.words.startswith(f"{row.value:g}".rstrip("0"))] == []


def test_readme_states_no_ratio_that_no_bench_compares() -> None:
    section = (ROOT / "README.md").read_text("utf-8").partition("## Figures")[2].partition("\n## ")[0]
    stated = [row.words for row in figures.stated() if row.document == "README.md"]
    assert stated
    for words in stated:
        section = section.replace(words, "")
    assert RATIO.findall(section) == []


def test_a_ratio_that_is_fifteen_per_cent_worse_fails_the_bench() -> None:
    values = {row.name: row.value for row in figures.stated()}
    assert figures.compared(values)[1]
    name = next(iter(values))
    lines, holds = figures.compared(values | {name: values[name] * 1.16})
    assert not holds
    assert "WORSE THAN STATED" in lines[0]
