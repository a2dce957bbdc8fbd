"""Any folder of Markdown files."""

from typing import Any

from citepress_import.formats.markdown_files import MARKDOWN, OTHER_TEXTS, pages_of, stem_of
from citepress_import.former_site import FormerPage, FormerSite, ImportFormat
from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree


def _detect(tree: SourceTree) -> bool:
    return bool(tree.below("", *MARKDOWN))


def _page(path: str, front: dict[str, Any], body: str, toml: bool) -> FormerPage:
    name = stem_of(path)
    if name.lower() in ("index", "readme", "_index") and "/" in path:
        name = path.split("/")[-2]
    return FormerPage(path, front, body, name, toml=toml)


def _read(tree: SourceTree) -> FormerSite:
    report, rules = ImportReport(), tree.public_rules("markdown")
    pages = pages_of(tree, rules, tree.below("", *MARKDOWN, *OTHER_TEXTS), _page, report)
    report.notes.append(
        "no tool is known by the files of this folder: its former addresses, its lists and what it kept private by "
        "settings cannot be told. Name the format if you know it"
    )
    title = tree.root.name if tree.is_folder else tree.root.stem
    settings = {"title": title.replace("-", " ").replace("_", " ").strip().capitalize() or "Notes"}
    return FormerSite(tree, pages, report, settings=settings, wiki=True, rules=rules, roots=("", "static", "public"))


FORMAT = ImportFormat("markdown", "any folder of Markdown files", _detect, _read)
