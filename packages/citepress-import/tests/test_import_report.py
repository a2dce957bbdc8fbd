"""The report of an import names every file of the source exactly once, with what became of it."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from citepress.cli import run
from support.former_sites import PNG, FormerBlog, hugo, jekyll, markdown, mkdocs, obsidian, written, zola
from support.former_tools import astro, dendron, docusaurus, eleventy, foam, hexo, logseq, pelican, quartz

Make = Callable[[Path], FormerBlog]
TOOLS: tuple[Make, ...] = (
    *(hugo, zola, jekyll, obsidian, mkdocs, markdown, pelican, quartz, logseq, foam, dendron),
    *(docusaurus, astro, eleventy, hexo),
)
OUTCOMES = ("published at ", "published as ", "held back: ", "set aside: ", "passed over: ")
ANYWHERE: dict[str, str | bytes] = {
    ".gitignore": "ignored/\n",
    ".github/workflows/ci.yml": "x: 1\n",
    "ignored/one.md": "# Ignored\n",
    "ignored/two.md": "# Ignored\n",
    "node_modules/x/README.md": "# Code\n",
    "node_modules/y.js": "",
    "LICENSE": "free",
    "odd/unused.png": PNG,
}


def files_of(root: Path) -> set[str]:
    return {Path(folder, name).relative_to(root).as_posix() for folder, _, names in os.walk(root) for name in names}


@pytest.mark.parametrize("make", TOOLS, ids=lambda make: make.__name__)
def test_every_file_of_the_source_is_named_exactly_once(make: Make, tmp_path: Path) -> None:
    blog = make(tmp_path / "source")
    written(blog.source, ANYWHERE)
    assert run(["import", "auto", str(blog.source), str(tmp_path / "out"), "--report", str(tmp_path / "r.json")]) == 0
    report = json.loads((tmp_path / "r.json").read_bytes())
    rows = {row["source"]: row["outcome"] for row in report["sources"]}
    assert len(rows) == len(report["sources"])
    rows_of = {
        file: [name for name in rows if file == name or file.startswith(f"{name}/")] for file in files_of(blog.source)
    }
    assert {file: names for file, names in rows_of.items() if len(names) != 1} == {}
    assert rows.keys() - {name for names in rows_of.values() for name in names} == set()
    assert [row for row in rows.items() if not row[1].startswith(OUTCOMES)] == []
    published = sum(outcome.startswith("published at ") for outcome in rows.values())
    assert published == report["posts_written"] + report["pages_written"] - report["drafts"]
    assert rows["ignored/one.md"] == "passed over: `.gitignore` names it"
    assert rows["node_modules"] == "passed over: code of others"
    assert rows[".github"] == "passed over: a hidden name"


def test_the_report_for_people_has_every_file_too(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"n{place}.md": f"# N{place}\n\nText.\n" for place in range(250)}
    source = written(tmp_path / "source", files)
    assert run(["import", "markdown", str(source), str(tmp_path / "out"), "-r", str(tmp_path / "r.md")]) == 0
    whole = (
        (tmp_path / "r.md").read_text("utf-8").partition("## Every file of the source (250)")[2].partition("\n## ")[0]
    )
    assert sum(line.startswith("- `") for line in whole.splitlines()) == len(files)
    assert "- `n249.md`: published at /posts/n249/\n" in whole
