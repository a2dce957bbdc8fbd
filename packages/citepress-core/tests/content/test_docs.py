"""The pages for authors say what the code does."""

import re
from pathlib import Path

from citepress.contract.fault import all_codes
from support.content_docs import DOCS, page

FAULTS = (Path(__file__).parents[4] / "docs" / "faults.md").read_text()


def test_every_fault_is_explained_with_an_example() -> None:
    sections = re.findall(
        r"^### (CP\d+) ([a-z0-9-]+) \((error|warning|note)\)\n\n(.+)\n(?:\n(?:.+\n)+)*?\n```\n(.+)\n",
        FAULTS,
        re.MULTILINE,
    )
    assert sorted(section[:4] for section in sections) == sorted(
        (code.id, code.name, code.level.value, code.about) for code in all_codes()
    )
    assert all(f" {section[2]} {section[0]} " in section[4] for section in sections)


def test_the_keys_of_every_kind_are_those_that_are_read() -> None:
    text = DOCS.read_text()
    assert page(text) == text, "run tests/support/content_docs.py"


def test_no_row_of_a_table_is_broken_and_no_paragraph_is_indented() -> None:
    for part in page(DOCS.read_text()).split("<!-- ")[1::2]:
        for line in part.partition("-->\n")[2].splitlines():
            assert not line.startswith((" ", "\t")), line
            assert line.startswith("|") == line.endswith("|"), line
