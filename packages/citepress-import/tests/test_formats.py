"""Each format is imported whole: posts, dates, authors, addresses, images, and no notation of another tool."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest

from citepress.app.registry import table
from citepress.archive.assemble import check
from citepress.archive.links import follow_redirect
from citepress.archive.model import Archive, Entry
from citepress.base.urls import normalise
from citepress.cli import run
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress_import.folder_writer import MANIFEST
from support.folder import reading
from support.former_exports import feed, ghost, wordpress
from support.former_sites import FormerBlog, hugo, jekyll, markdown, mkdocs, obsidian, zola
from support.former_tools import astro, dendron, docusaurus, eleventy, foam, hexo, logseq, pelican, quartz

Make = Callable[[Path], FormerBlog]
FORMATS: tuple[Make, ...] = (
    *(hugo, zola, jekyll, obsidian, mkdocs, wordpress, ghost, feed, markdown),
    *(pelican, quartz, logseq, foam, dendron, docusaurus, astro, eleventy, hexo),
)
MOMENT = datetime(2026, 11, 23, tzinfo=UTC)
EXPECTED_WARNINGS = {"CP041", "CP044", "CP049", "CP062"}
"""A post that nothing links to, an image without words, a post without a nugget: facts about the former site."""
RAW = re.compile(
    r"\{\{[<%]|\{\{ |\{%|\[\[|^:::|!!! |\{:|\{#|\[!|</?(?:script|iframe|div|my-card|details|p|a)\b|<!--|%%|8<-",
    re.MULTILINE,
)


@pytest.fixture(scope="module", params=FORMATS, ids=lambda make: make.__name__)
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[FormerBlog, Path, Path]:
    """The blog, the folder that was made of it, and its static export."""
    root = tmp_path_factory.mktemp("import")
    blog = request.param(root / "source")
    assert run(["import", "auto", str(blog.source), str(root / "out"), "--report", str(root / "r.json")]) == 0
    build = ["build", str(root / "out"), "-o", str(root / "dist"), "--state", str(root / "state")]
    assert run(build) == 0
    return blog, root / "out", root / "dist"


def archive_of(folder: Path) -> Archive:
    archive, faults = check(reading(folder, moment=MOMENT), KINDS, REGISTRIES, table().built_in)
    assert archive is not None, [(fault.place.file, fault.message) for fault in faults]
    assert {fault.code.id for fault in faults} <= EXPECTED_WARNINGS, [
        (f.code.id, f.place.file, f.message) for f in faults
    ]
    return archive


def by_title(archive: Archive) -> dict[str, Entry]:
    return {entry.record.title: entry for entry in archive.entries.values()}


def test_the_format_is_recognised_and_nothing_is_refused(imported: tuple[FormerBlog, Path, Path]) -> None:
    blog, folder, _ = imported
    report = json.loads((folder.parent / "r.json").read_bytes())
    assert report["format"] == blog.format
    archive_of(folder)


def test_posts_have_their_titles_dates_descriptions_and_authors(imported: tuple[FormerBlog, Path, Path]) -> None:
    blog, folder, _ = imported
    entries = by_title(archive_of(folder))
    for post in blog.posts:
        record = entries[post.title].record
        assert record.published_at.astimezone(UTC).isoformat().startswith(post.date), post.title
        assert tuple(author.name for author in record.authors) == post.authors
        assert not post.description or record.summary == post.description


def test_every_former_path_leads_to_its_post(imported: tuple[FormerBlog, Path, Path]) -> None:
    blog, folder, _ = imported
    archive = archive_of(folder)
    entries = by_title(archive)
    for post in blog.posts:
        for path in post.paths:
            assert follow_redirect(archive.redirects, path) == entries[post.title].path, path
    assert {path: follow_redirect(archive.redirects, path) for path in blog.redirects} == blog.redirects


def test_pages_hold_what_they_held_and_no_notation_of_another_tool(imported: tuple[FormerBlog, Path, Path]) -> None:
    blog, folder, dist = imported
    entries = by_title(archive_of(folder))
    for post in blog.posts:
        page = (dist / entries[post.title].path.strip("/") / "index.html").read_text("utf-8")
        page = re.sub('<span class="[a-z]{1,2}">([^<]*)</span>', r"\1", page)  # colours of code
        assert [word for word in post.words if word not in page] == [], post.title
        text = page[page.index('id="text"') : page.index("</main>")]
        text = unescape(re.sub(r"<pre.*?</pre>|<code.*?</code>|<[^>]*>", "", text, flags=re.DOTALL))
        for word in post.words:
            text = text.replace(unescape(word), "")
        assert RAW.findall(text) == [], post.title
        assert "alert(1)" not in page
    for path, word in blog.pages.items():
        assert word in (dist / path.strip("/") / "index.html").read_text("utf-8")


def test_every_link_to_another_site_is_in_the_ledger(imported: tuple[FormerBlog, Path, Path]) -> None:
    blog, folder, _ = imported
    ledger = archive_of(folder).ledger
    assert [link for link in blog.links if not ledger[normalise(link)].mentioned_by] == []


def test_images_are_copied_and_shown_with_their_size(imported: tuple[FormerBlog, Path, Path]) -> None:
    blog, folder, dist = imported
    copies = list((folder / "static").rglob("*.png")) if (folder / "static").exists() else []
    assert len(copies) == blog.images
    pages = "".join(path.read_text("utf-8") for path in dist.glob("posts/*/index.html"))
    sizes = re.findall(r'<img [^>]*width="4" height="3"[^>]*>', pages)
    assert len(sizes) >= (1 if blog.images else 0)


def test_a_second_import_changes_nothing_and_keeps_what_was_edited(
    imported: tuple[FormerBlog, Path, Path], tmp_path: Path
) -> None:
    blog, _, _ = imported
    folder, report = tmp_path / "out", tmp_path / "r.json"
    command = ["import", blog.format, str(blog.source), str(folder), "--report", str(report)]
    assert run(command) == 0
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    before = {path: path.read_bytes() for path in files}
    assert run(command) == 0
    assert json.loads(report.read_bytes())["files"] == {"written": 0, "unchanged": len(files)}
    edited = next(path for path in files if path.suffix == ".md")
    edited.write_bytes(before[edited] + b"\nMine.\n")
    removed = next(path for path in reversed(files) if path.suffix == ".md" and path != edited)
    removed.unlink()
    assert run(command) == 0
    assert edited.read_bytes().endswith(b"Mine.\n")
    assert removed.read_bytes() == before[removed]
    assert json.loads(report.read_bytes())["edited"] == [str(edited.relative_to(folder))]


def test_a_dry_run_writes_nothing_but_its_report(imported: tuple[FormerBlog, Path, Path], tmp_path: Path) -> None:
    blog, _, _ = imported
    report = tmp_path / "r.md"
    assert run(["import", "auto", str(blog.source), str(tmp_path / "out"), "--dry-run", "--report", str(report)]) == 0
    assert not (tmp_path / "out").exists()
    assert f"({blog.format})" in report.read_text("utf-8")
