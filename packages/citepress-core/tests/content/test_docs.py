"""The pages for authors say what the code does."""

import re

from citepress.cli.explain import explanation
from citepress.contract.fault import fault_codes
from support.content_docs import tables
from support.fault_docs import MARKS, next_step
from support.generated_docs import written
from support.tree import ROOT

FAULTS = (ROOT / "docs/reference/faults.md").read_text("utf-8")
EXPLAINED = re.compile(
    r"(CP\d+) ([a-z0-9-]+) \((error|warning|note)\)\n\n(.+)\n\n([A-Z].+\.)\n(?:\n(?:.+\n)+)*?\n```\n(.+)\n"
)
"""Code, name, level, cause, next step and example."""
INDENT = re.compile(" *")
ITEM = re.compile(r" *- (?:As in records|`[^`]+`(?: or `\w+`)?(?:\\\*)?(?: \(.+?\))?): .*\S\.")
"""Keys, whether they are required, the sort of value, and the meaning."""
MAX_STEP_CHARS = 120
CONTENT = "docs/reference/content-model.md"


def test_every_fault_is_explained_with_its_next_step_and_an_example() -> None:
    for code in fault_codes():
        section = EXPLAINED.match(explanation(code))
        assert section, code
        assert section.groups()[:4] == (code.id, code.name, code.level.value, code.about)
        assert len(section[5]) <= MAX_STEP_CHARS, code
        assert f" {code.level.value} {code.id} " in section[6], code


def test_the_reference_has_a_row_with_the_next_step_for_each_fault() -> None:
    rows = re.findall(r"^\| (CP\d+ ?\w?) \| (.+) \| (.+) \|$", FAULTS, re.MULTILINE)
    assert sorted(rows) == sorted((code.id + MARKS[code.level], code.about, next_step(code)) for code in fault_codes())


def test_the_keys_of_every_kind_are_those_that_are_read() -> None:
    assert written(CONTENT) == (ROOT / CONTENT).read_text("utf-8"), "run tests/support/generated_docs.py"


def test_every_key_has_a_meaning_and_no_line_of_an_item_is_lost() -> None:
    for part in tables().values():
        item = ""
        for line in (*part.splitlines(), ""):
            if item and line.startswith(f"{INDENT.match(item)[0]}  ") and not line.lstrip().startswith("- "):
                item += f" {line.strip()}"
                continue
            assert not item or ITEM.fullmatch(item), item
            assert line.lstrip().startswith("- ") or not line.startswith((" ", "\t", "|")), line
            item = line if line.lstrip().startswith("- ") else ""
