"""What every format of Markdown files shares: reading the files, and what is left out."""

import csv
import io
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict

from citepress.content import json_loader, unpublished, yaml_loader
from citepress.content.value_marks import ParseFault
from citepress_import import front_matter
from citepress_import.errors import ImportRefusedError
from citepress_import.former_site import FormerPage
from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree
from citepress_notes import lenient_values
from citepress_notes.held_back import HeldBack, PublicRules, first_said, of_note, without_text
from citepress_notes.privacy_rules import BUNDLE, BUNDLE_TOOLS, MOVED, Fate
from citepress_notes.tool_habits import dialect_of

MARKDOWN = (".md", ".markdown", ".mdx")
OTHER_TEXTS = (".adoc", ".asciidoc", ".org", ".rst", ".pandoc", ".textile", ".ipynb")
"""Texts that are not Markdown: they are named in the report."""
DATED = re.compile(r"\d{4}[-/_]\d\d[-/_]\d\d")
"""A day in a path."""
TEMPLATES = (".html", ".htm", ".njk", ".liquid")
NOT_LINED = (*OTHER_TEXTS, *TEMPLATES)
"""Texts whose metadata are no lines above them."""
Adapt = Callable[[str, dict[str, Any], str, bool], FormerPage | None]
"""``(path, front matter, body, whether it is TOML) -> page``; ``None`` for a file that is none."""


def pages_of(
    tree: SourceTree,
    rules: PublicRules,
    paths: Iterable[str],
    adapt: Adapt,
    report: ImportReport,
    endings: tuple[str, ...] = MARKDOWN,
    *,
    readme: bool = False,
    moved: Callable[[str, dict[str, Any]], None] = lambda *_: None,
) -> list[FormerPage]:
    """The pages of the files; a file that cannot be read or is not public is set aside with the reason.

    ``readme``: whether the readme at the top is a page. ``moved`` is told of each that only leads elsewhere.
    """
    pages: list[FormerPage] = []
    dialect = dialect_of(rules.tools, rules.settings)
    metadata = dialect.metadata
    report.notes += [f"{name} cannot be read: {message}" for name, message in rules.problems]
    for path in sorted(paths):
        if (project := unpublished.project_name(path)) and not (readme and project == unpublished.README):
            report.set_aside.append((path, "it is about the project, by its name"))
            continue
        if path.lower().endswith(OTHER_TEXTS) and not path.lower().endswith(endings):
            report.set_aside.append((path, "it is not Markdown"))
            continue
        if (left := rules.of_path(path)) and left.fate is Fate.LEFT:
            report.hold(path, left)
            continue
        try:
            text = tree.text(path)
            front, body, toml = front_matter.parted(text, metadata="" if path.endswith(NOT_LINED) else metadata)
        except ImportRefusedError as error:
            report.set_aside.append((path, str(error)))
            continue
        held = of_note(rules.of_path(path), front, body, rules.handed(path), tagged=rules.tagged) or first_said(
            text, front
        )
        if held and report.hold(path, held):
            if held.rule is MOVED:
                moved(path, front)
            continue
        try:
            page = adapt(path, front | ({"draft": held is not None} if held or "draft" in front else {}), body, toml)
        except ImportRefusedError as error:
            report.set_aside.append((path, str(error)))
            continue
        if page and not ((empty := without_text(path, page.front, page.body, dialect)) and report.hold(path, empty)):
            pages.append(page)
    return _without_private_bundles(pages, report) if BUNDLE_TOOLS.intersection(rules.tools) else pages


def _without_private_bundles(pages: list[FormerPage], report: ImportReport) -> list[FormerPage]:
    """The pages that are not beside an ``index.md`` that is held back: the tool makes no pages of such files."""
    folders = tuple({f"{posixpath.dirname(path)}/" for path, _ in report.held_back if _is_index(path)})
    return [
        page
        for page in pages
        if _is_index(page.source)
        or not page.source.startswith(folders)
        or not report.hold(page.source, HeldBack.by(BUNDLE))
    ]


def _is_index(path: str) -> bool:
    return stem_of(path).partition(".")[0] == "index"


def stem_of(path: str) -> str:
    """The name of a file without its ending."""
    return re.sub(r"\.(?:md|markdown|mdx|rst|html?|njk|liquid)$", "", posixpath.basename(path), flags=re.IGNORECASE)


def has_front(tree: SourceTree, path: str) -> bool:
    """Whether a file begins with front matter, by which a tool knows that it is a page."""
    try:
        return tree.text(path).lstrip("\ufeff\n").startswith(("---\n", "+++\n"))
    except ImportRefusedError:
        return False


class PageForm(TypedDict):
    """How the text of a page is written."""

    html: bool
    templated: bool


def as_html(path: str) -> PageForm:
    """Whether a page is HTML by the name of its file, with tags of templates in it."""
    is_html = path.lower().endswith(TEMPLATES)
    return {"html": is_html, "templated": is_html}


def read_data(tree: SourceTree, path: str) -> object:
    """What a file of data holds: a table or a list; nothing where it cannot be read."""
    try:
        text = tree.text(path)
        if path.lower().endswith(".csv"):
            return list(csv.DictReader(io.StringIO(text)))
        loaded: object = json_loader.load(text) if path.lower().endswith(".json") else yaml_loader.load(text)
    except (ImportRefusedError, ParseFault, csv.Error):
        return None
    return loaded


def site_settings(settings: Mapping[str, Any], **keys: str) -> dict[str, str]:
    """Settings of the archive from those of a tool: ours by the name of theirs; a person may be a mapping."""
    named: dict[str, str] = {}
    for ours, theirs in keys.items():
        value: object = settings
        for step in theirs.split("."):
            value = value.get(step) if isinstance(value, Mapping) else None
        if isinstance(value, Mapping):
            value = value.get("name")
        if words := lenient_values.words(value, 300):
            named.setdefault(ours, words)
    return named


def static_files(tree: SourceTree, *folders: str) -> dict[str, str]:
    """Public path of each file below folders that are published as they are."""
    return {
        f"/{path.removeprefix(folder).lstrip('/')}": path for folder in folders for path in tree.below(folder) if folder
    }


def bundled_files(tree: SourceTree, pages: Iterable[FormerPage]) -> dict[str, str]:
    """Public path of each file beside the ``index.md`` of a page, which its tool publishes below the page."""
    bundles: dict[str, str] = {}
    for page in pages:
        is_bundle = stem_of(page.source).partition(".")[0] == "index" and page.path.endswith("/")
        if is_bundle and not lenient_values.is_true(page.front.get("draft")):
            bundles.setdefault(posixpath.dirname(page.source), page.path)
    files: dict[str, str] = {}
    for path in tree.sizes if bundles else ():
        folder = posixpath.dirname(path)
        while folder and folder not in bundles:
            folder = posixpath.dirname(folder)
        if folder and not path.lower().endswith((*MARKDOWN, *OTHER_TEXTS)):
            files[bundles[folder] + path.removeprefix(f"{folder}/")] = path
    return files


def redirects_file(tree: SourceTree, folders: Iterable[str]) -> dict[str, str]:
    """The rows of a ``_redirects`` file among the static files."""
    path = next((f"{folder}/_redirects" for folder in folders if f"{folder}/_redirects" in tree.sizes), "")
    rows = (line.split() for line in (tree.text(path).split("\n") if path else ()) if not line.startswith("#"))
    return {row[0]: row[1] for row in rows if len(row) > 1 and row[0].startswith("/") and "*" not in row[0]}
