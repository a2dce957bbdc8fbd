"""The way in for strangers is true: every file it names exists, and its layers are those of the import rules."""

import re
import tomllib
from pathlib import Path

from support.tree import PACKAGE, ROOT, SOURCES

ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text("utf-8")
FLOWS = (
    "A post becomes its JSON",
    "A correction becomes a credit",
    "An MCP call",
    "A paid retry",
    "A request becomes a figure",
)


def _layers() -> list[list[str]]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract.get("containers") == ["citepress"])
    return [[name.strip(" ()") for name in row.split("|")] for row in layers]


def test_every_file_of_every_flow_exists() -> None:
    sections = dict(re.findall(r"^## (.+)\n((?:(?!## ).*\n?)*)", ARCHITECTURE, re.MULTILINE))
    for flow in FLOWS:
        paths = re.findall(r"`([\w/]+\.py)`", sections[flow])
        assert len(paths) >= 5, flow
        assert _missing(paths, PACKAGE) == [], flow


def test_the_table_of_layers_is_that_of_the_import_rules() -> None:
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", ARCHITECTURE, re.MULTILINE)

    assert [re.findall(r"`(\w+)`: ", packages) for _, packages in rows] == _layers()
    assert [int(number) for number, _ in rows] == list(range(1, len(rows) + 1))


def test_the_glossary_is_in_order_and_says_each_term_once() -> None:
    terms = [line.split("|")[1].strip() for line in GLOSSARY.splitlines() if line.startswith("| ")][1:]

    assert len(terms) > 20
    assert terms == sorted(set(terms), key=str.lower)


def test_every_design_page_is_listed_short_and_names_files_that_exist() -> None:
    pages = {path.name: path.read_text("utf-8") for path in (ROOT / "docs" / "design").glob("*.md")}
    listing = pages.pop("README.md")

    assert set(re.findall(r"\]\((\w+\.md)\)", listing)) == set(pages)
    assert {name: lines for name, text in pages.items() if (lines := len(text.splitlines())) > 150} == {}
    for name, text in pages.items():
        paths = re.findall(r"`([\w/]+\.py)`", text)
        assert _missing(paths, PACKAGE, ROOT) == [], name


def _missing(paths: list[str], *roots: Path) -> list[str]:
    """The paths that are below none of these folders, nor below a package's sources."""
    folders = (*roots, *(ROOT / folder for folder in SOURCES))
    return [path for path in paths if not any((folder / path).is_file() for folder in folders)]
