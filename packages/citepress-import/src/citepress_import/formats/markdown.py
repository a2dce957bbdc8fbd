"""Any folder of Markdown files."""

import re
from typing import Any

from citepress_import.formats.markdown_files import MARKDOWN, OTHER_TEXTS, pages_of, stem_of
from citepress_import.former_site import FormerPage, FormerSite, ImportFormat, unexpanded
from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree
from citepress_notes.hidden_code import HiddenCode

_PICTURE = re.compile(
    r"!?\[\[([^\[\]|\n]+\.(?:png|jpe?g|gif|svg|webp))\|(?:alt=)?([^\[\]|\n]*)[^\[\]\n]*\]\]", re.IGNORECASE
)
_LABEL_FIRST = re.compile(r"(?<!!)\[\[([^\[\]|\n]+)\|([^\[\]|\n]+)\]\]")


def _detect(tree: SourceTree) -> bool:
    return bool(tree.below("", *MARKDOWN))


def _page(path: str, front: dict[str, Any], body: str, toml: bool) -> FormerPage:
    name = stem_of(path)
    if name.lower() in ("index", "readme", "_index") and "/" in path:
        name = path.split("/")[-2]
    return FormerPage(path, front, body, name, toml=toml)


def _wiki_page(path: str, front: dict[str, Any], body: str, toml: bool) -> FormerPage:
    """A page of a wiki, whose address and title are the name of its file."""
    name = stem_of(path)
    front.setdefault("title", name.replace("-", " "))
    return FormerPage(path, front, body, name, f"/{name}", toml=toml, titles=(name.replace("-", " "),))


def _expand(_page: FormerPage, code: HiddenCode, text: str) -> str:
    """Turn ``[[label|name]]`` of a wiki into ``[[name|label]]``; a picture keeps its alternative text alone."""
    text = _PICTURE.sub(r"![[\1|\2]]", code.spans(text))
    return _LABEL_FIRST.sub(r"[[\2|\1]]", text)


def _read(tree: SourceTree) -> FormerSite:
    report, rules = ImportReport(), tree.public_rules("markdown")
    wiki = "wiki" in rules.tools
    pages = pages_of(tree, rules, tree.below("", *MARKDOWN, *OTHER_TEXTS), _wiki_page if wiki else _page, report)
    report.notes.append(
        "it is a wiki: the path of its host above its pages is unknown"
        if wiki
        else "no tool is known by the files of this folder: its former addresses, its lists and what it kept private "
        "by settings are unknown. Name the format if you know it"
    )
    title = tree.root.name if tree.is_folder else tree.root.stem
    settings = {"title": title.replace("-", " ").replace("_", " ").strip().capitalize() or "Notes"}
    roots, expand = ("", "static", "public"), _expand if wiki else unexpanded
    return FormerSite(tree, pages, report, settings=settings, expand=expand, wiki=True, rules=rules, roots=roots)


FORMAT = ImportFormat("markdown", "any folder of Markdown files", _detect, _read)
