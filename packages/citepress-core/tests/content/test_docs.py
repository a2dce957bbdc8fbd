"""The pages for authors say what the code does."""

import re

from citepress.contract.fault import fault_codes
from support.content_docs import tables
from support.generated_docs import written
from support.tree import ROOT

FAULTS = (ROOT / "docs/reference/faults.md").read_text("utf-8")
CONTENT = "docs/reference/content-model.md"


def test_every_fault_is_explained_with_an_example() -> None:
    sections = re.findall(
        r"^### (CP\d+) ([a-z0-9-]+) \((error|warning|note)\)\n\n(.+)\n(?:\n(?:.+\n)+)*?\n```\n(.+)\n",
        FAULTS,
        re.MULTILINE,
    )
    assert sorted(section[:4] for section in sections) == sorted(
        (code.id, code.name, code.level.value, code.about) for code in fault_codes()
    )
    assert all(f" {section[2]} {section[0]} " in section[4] for section in sections)


def test_the_keys_of_every_kind_are_those_that_are_read() -> None:
    assert written(CONTENT) == (ROOT / CONTENT).read_text("utf-8"), "run tests/support/generated_docs.py"


def test_no_row_of_a_table_is_broken_and_no_paragraph_is_indented() -> None:
    for part in tables().values():
        for line in part.splitlines():
            assert not line.startswith((" ", "\t")), line
            assert line.startswith("|") == line.endswith("|"), line
