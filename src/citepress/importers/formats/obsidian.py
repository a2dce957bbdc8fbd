"""Vaults of Obsidian: notes, wiki links, embeds, callouts and attachments."""

import json
from typing import Any

from citepress.importers import front_matter
from citepress.importers.formats.markdown_files import MARKDOWN, pages_of, stem_of
from citepress.importers.former_site import FormerPage, FormerSite, ImportFormat
from citepress.importers.report import ImportReport
from citepress.importers.source_tree import SourceTree

SETTINGS = ".obsidian"
DRAWING = ".excalidraw.md"


def _detect(tree: SourceTree) -> bool:
    return tree.has(SETTINGS)


def _templates(tree: SourceTree) -> str:
    """The folder of the vault's templates."""
    try:
        members = json.loads(tree.hidden(f"{SETTINGS}/templates.json") or "{}")
    except (ValueError, RecursionError):
        return ""
    return front_matter.words(front_matter.table(members).get("folder")).strip("/")


def _read(tree: SourceTree) -> FormerSite:
    report = ImportReport()
    templates = _templates(tree)
    paths = [path for path in tree.below("", *MARKDOWN) if not (templates and path.startswith(f"{templates}/"))]

    def page(path: str, front: dict[str, Any], body: str, _toml: bool) -> FormerPage | None:
        if path.lower().endswith(DRAWING):
            report.set_aside.append((path, "it is a drawing"))
            return None
        name = stem_of(path)
        if not front_matter.words(front.get("title")) and not body.startswith("# "):
            front["title"] = name
        if front_matter.is_false(front.get("publish")):
            front["draft"] = True
        names = [front_matter.words(item) for item in front_matter.items(front.get("aliases") or front.get("alias"))]
        titles = (*(word for word in names if word), front_matter.words(front.get("title")))
        return FormerPage(path, front, body, name, titles=titles)

    title = tree.root.name if tree.is_folder else tree.root.stem
    settings = {"title": title.replace("-", " ").replace("_", " ").strip() or "Notes"}
    return FormerSite(tree, pages_of(tree, paths, page, report), report, settings=settings, wiki=True)


FORMAT = ImportFormat("obsidian", "Obsidian: the notes and attachments of a vault", _detect, _read)
