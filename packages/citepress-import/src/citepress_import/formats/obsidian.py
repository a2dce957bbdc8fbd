"""Vaults of Obsidian: notes, wiki links, embeds, callouts and attachments."""

from typing import Any

from citepress_import.formats.markdown_files import MARKDOWN, pages_of, stem_of
from citepress_import.former_site import FormerPage, FormerSite, ImportFormat
from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree
from citepress_notes import lenient_values

SETTINGS = ".obsidian"
DRAWING = ".excalidraw.md"


def _detect(tree: SourceTree) -> bool:
    return tree.has(SETTINGS)


def _read(tree: SourceTree) -> FormerSite:
    report = ImportReport()
    rules = tree.public_rules("obsidian")

    def page(path: str, front: dict[str, Any], body: str, _toml: bool) -> FormerPage | None:
        if path.lower().endswith(DRAWING):
            report.pass_over(path, "it is a drawing")
            return None
        name = stem_of(path)
        if not lenient_values.words(front.get("title")) and not body.startswith("# "):
            front["title"] = name
        names = [
            lenient_values.words(item) for item in lenient_values.items(front.get("aliases") or front.get("alias"))
        ]
        titles = (*(word for word in names if word), lenient_values.words(front.get("title")))
        return FormerPage(path, front, body, name, titles=titles)

    title = tree.root.name if tree.is_folder else tree.root.stem
    settings = {"title": title.replace("-", " ").replace("_", " ").strip() or "Notes"}
    return FormerSite(
        tree,
        pages_of(tree, rules, tree.below("", *MARKDOWN), page, report),
        report,
        settings=settings,
        wiki=True,
        rules=rules,
    )


FORMAT = ImportFormat("obsidian", "Obsidian: the notes and attachments of a vault", _detect, _read)
