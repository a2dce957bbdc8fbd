"""What extensions may rely on stands, and the core learns nothing of a single one."""

import re
from importlib import import_module

from support.tree import CORE, ROOT, name_of, sources

PUBLIC = re.compile(r"^\| `(citepress[\w.]*)` \| (.+) \|$", re.MULTILINE)
FEATURES = re.compile(r"\b(mcp|inbox|telemetry|x402|valkey|indexnow)\b", re.IGNORECASE)
"""Words of features that packages bring."""
SPECIFIED = "its docstring names the section of the specification that it implements"
SCHEMA = "words of schemas that are published"
NAMED: dict[str, tuple[int, str]] = {
    "contract/document.py": (3, "the headings under which the specification lists routes"),
    "contract/problem.py": (3, "the members of a 402 in the problem document of the specification"),
    "contract/record.py": (3, SCHEMA),
    "contract/site.py": (1, "the key is published at a fixed address, whoever tells search engines of changes"),
    "edition/machine/wellknown.py": (2, "the document with that key"),
    "operations/contextualize_url.py": (1, SPECIFIED),
    "operations/search_archive.py": (1, SPECIFIED),
}
"""Lines of the core that name such a feature, by file, and why. Rows only leave or shrink; none imports a package."""


def test_every_name_that_extensions_may_import_is_there() -> None:
    rows = PUBLIC.findall((ROOT / "docs" / "extending.md").read_text("utf-8"))
    assert len(rows) > 20
    missing = [
        f"{module}.{name}"
        for module, names in rows
        for name in re.findall(r"`(\w+)`", names)
        if not hasattr(import_module(module), name)
    ]
    assert missing == []


def test_the_core_names_ever_fewer_features_of_extensions() -> None:
    texts = {name_of(path).partition("src/citepress/")[2]: path.read_text("utf-8") for path in sources(CORE)}
    named = {name: sum(bool(FEATURES.search(line)) for line in text.splitlines()) for name, text in texts.items()}
    allowed = {name: lines for name, (lines, _) in NAMED.items()}
    assert {name: lines for name, lines in named.items() if lines > allowed.get(name, 0)} == {}
    assert {name: lines for name, lines in allowed.items() if named.get(name, 0) < lines} == {}, (
        "write the smaller number, or take the row away"
    )
