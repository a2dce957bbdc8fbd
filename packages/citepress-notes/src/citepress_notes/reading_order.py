"""The order in which an author has the texts of a site read, as the page of contents that states it."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from citepress.archive.model import CONTENTS
from citepress.base.languages import endonym
from citepress.content.links import inspect
from citepress.content.pages import PageFile
from citepress.content.path_language import path_without_language
from citepress.content.source_map import SourceFile
from citepress_notes import lenient_values
from citepress_notes.lenient_values import items, table, words

TITLE = "Contents"
KEYS = (
    *("sidebar_position", "sidebar_label", "sidebar", "id", "slug"),
    *("weight", "linkTitle", "linktitle", "nav_order", "parent", "grand_parent", "nav_exclude", "eleventyNavigation"),
)
"""Keys of front matter that place a text."""
PLACING = frozenset(KEYS) - {"id", "slug", "linkTitle", "linktitle"}
"""Those of them that declare an order."""
MAX_LEVELS = 20
MAX_LABEL_CHARS = 200
_MARKS = re.compile(r"([\\`*_\[\]<>#&~|$=:{}!+])")


class OrderedText(NamedTuple):
    """A text that is shown."""

    path: str
    """The path of its file; of a translation, that of the file that it translates."""
    title: str
    front: Mapping[str, Any]
    """What of its front matter places it."""
    address: str
    """Its path in the archive."""
    language: str = ""
    """That of a translation which is in a file of its own."""


class ContentsPart(NamedTuple):
    """An entry of the contents: a text, or a folder with its own."""

    label: str
    path: str = ""
    """The path of the file of its text; empty where it has none."""
    parts: tuple["ContentsPart", ...] = ()
    former: str = ""
    """The path of the list that its tool makes of it; empty where it makes none."""


Texts = Mapping[str, OrderedText]
"""The texts of one language by their paths."""
Arrange = Callable[[Texts], list[ContentsPart]]
"""``(texts) -> parts``: what a tool declares; nothing where the author declared no order."""


class SiteContents(NamedTuple):
    """The page of contents."""

    body: str = ""
    """Its text; empty where nothing declares an order."""
    former: tuple[str, ...] = ()
    """Paths of lists in whose place it is."""


def contents_of(arrange: Arrange | None, texts: Iterable[OrderedText]) -> SiteContents:
    """The page of contents of the texts that are shown."""
    if arrange is None:
        return SiteContents()
    by_language: dict[str, dict[str, OrderedText]] = {}
    for text in sorted(texts, key=attrgetter("language", "path")):
        by_language.setdefault(text.language, {})[text.path] = text
    sections: list[str] = []
    former: dict[str, None] = {}
    for language, own in by_language.items():
        parts = [shown for part in arrange(own) for shown in _shown(part, own, 0)]
        loose, titled = [part for part in parts if not _is_heading(part)], [part for part in parts if _is_heading(part)]
        lists = [("", loose), *((part.label, list(part.parts)) for part in titled)]
        written = [f"{_heading(label, 3)}{_list(inner, own)}" for label, inner in lists if inner]
        heading = _heading(endonym(language), 2) if language and len(by_language) > 1 else ""
        sections += [f"{heading}{''.join(written)}"] if written else []
        former |= dict.fromkeys(_former(parts))
    return SiteContents("\n".join(sections), tuple(former))


def contents_page(root: Path, body: str) -> list[PageFile]:
    """The page of contents of a plain folder; none where nothing declares an order."""
    source = SourceFile(root, f"{CONTENTS}.md")
    return [PageFile(CONTENTS, TITLE, "", None, body, 1, inspect(body), source)] if body else []


def placing(front: Mapping[str, Any]) -> dict[str, Any]:
    """What of a front matter places a text."""
    return {key: front[key] for key in KEYS if key in front}


def _is_heading(part: ContentsPart) -> bool:
    return part.path == HEADING


HEADING = "#"
"""Stands for the path of a part that is a sidebar or a version of its own."""


def _shown(part: ContentsPart, texts: Texts, depth: int) -> Iterator[ContentsPart]:
    """The part without texts that are not shown; none where nothing of it is left."""
    if depth >= MAX_LEVELS:
        return
    inner = tuple(shown for each in part.parts for shown in _shown(each, texts, depth + 1))
    path = part.path if part.path in texts or _is_heading(part) else ""
    if inner or (path and not _is_heading(part)):
        yield ContentsPart(part.label, path, inner, part.former)


def _former(parts: Iterable[ContentsPart]) -> Iterator[str]:
    for part in parts:
        yield from filter(None, [part.former])
        yield from _former(part.parts)


def _heading(label: str, level: int) -> str:
    return f"{'#' * level} {_escaped(label)}\n\n" if label else ""


def _list(parts: Iterable[ContentsPart], texts: Texts, indent: str = "") -> str:
    lines = []
    for part in parts:
        label = _escaped(part.label or texts[part.path].title)
        lines.append(f"{indent}- [{label}]({texts[part.path].address})\n" if part.path else f"{indent}- {label}\n")
        lines.append(_list(part.parts, texts, f"{indent}  "))
    return "".join(lines) + ("" if indent else "\n")


def _escaped(label: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(label.split())[:MAX_LABEL_CHARS])


def number(value: object) -> float | None:
    """A number as front matter gives it; ``None`` where it is none."""
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,9}(?:\.\d{1,9})?", value.strip()):
        return float(value)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def sorted_parts(entries: Iterable[tuple[tuple[Any, ...], ContentsPart]]) -> tuple[ContentsPart, ...]:
    """The parts by their keys, whose first member is a number or ``None``, which is last."""
    return tuple(
        part for _, part in sorted(entries, key=lambda entry: (entry[0][0] is None, entry[0][0] or 0.0, *entry[0][1:]))
    )


def children(paths: Iterable[str], folder: str) -> Iterator[tuple[str, list[str]]]:
    """Names in a folder with the paths that they stand for: a file, or those below a folder, which ends with ``/``."""
    below = f"{folder}/" if folder else ""
    inner = sorted((path.removeprefix(below), path) for path in paths if path.startswith(below))
    for name, group in groupby(inner, lambda row: row[0].partition("/")[0] + "/" * ("/" in row[0])):
        yield name, [path for _, path in group]


def by_navigation(nav: object, root: str, depth: int = 0) -> list[ContentsPart]:
    """The ``nav`` of MkDocs: titles with documents or lists of them, and documents alone."""
    parts = []
    for item in items(nav) if depth < MAX_LEVELS else ():
        for title, target in item.items() if isinstance(item, Mapping) else [("", item)]:
            if isinstance(target, str):
                parts.append(ContentsPart(words(title), posixpath.normpath(posixpath.join(root, target))))
                continue
            inner = by_navigation(target, root, depth + 1)
            own = inner[0] if inner and not inner[0].label and _is_index(inner[0].path) else None
            parts.append(ContentsPart(words(title), own.path if own else "", tuple(inner[1:] if own else inner)))
    return parts


def _is_index(path: str) -> bool:
    return re.fullmatch(r"(?:.*/)?(?:_?index|readme)(?:\.\w+)*", path, re.IGNORECASE) is not None


def by_weight(texts: Texts, folder: str = "content") -> list[ContentsPart]:
    """The sections of Hugo and Zola most of whose members have a weight."""
    return list(_weighed(texts, folder)[1].parts)


def _weighed(texts: Texts, folder: str) -> tuple[bool, ContentsPart, float | None]:
    """Whether a section has an order of its own or below it, the section, and its weight."""
    own, entries, placed, below = "", [], 0, False
    for name, paths in children(texts, folder):
        if name.endswith("/"):
            declared, part, weight = _weighed({path: texts[path] for path in paths}, posixpath.join(folder, name[:-1]))
            is_page = bool(part.path) and not part.parts and not declared
        elif _is_index(name):
            own = paths[0]
            continue
        else:
            declared, is_page, part, weight = False, True, ContentsPart("", paths[0]), _weight(texts[paths[0]])
        below, placed = below or declared, placed + (weight is not None)
        if is_page or declared:
            entries.append(((weight, (part.label or texts[part.path].title).lower()), part, declared))
    is_ordered = placed > 0 and placed * 2 >= len(entries)
    members = sorted_parts((key, part) for key, part, declared in entries if is_ordered or declared)
    text = texts.get(own)
    label = (words(text.front.get("linkTitle") or text.front.get("linktitle")) or text.title) if text else ""
    part = ContentsPart(label or posixpath.basename(folder), own, members)
    return is_ordered or below, part, _weight(text) if text else None


def _weight(text: OrderedText) -> float | None:
    return number(text.front.get("weight")) or None  # zero is no weight


def by_parents(texts: Texts, key: Callable[[OrderedText], tuple[str, object, object, str]]) -> list[ContentsPart]:
    """Texts below those that they name: ``(own name, parent, order, label)``; one with an empty name has no place."""
    rows = [(*key(text), text) for text in texts.values()]
    if not any(words(parent) or order is not None for name, parent, order, _, _ in rows if name):
        return []

    def below(parent: str, depth: int, above: tuple[str, ...]) -> tuple[ContentsPart, ...]:
        entries = []
        for name, of, order, label, text in rows if depth < MAX_LEVELS else ():
            grand = words(text.front.get("grand_parent"))
            if not name or words(of) != parent or name in above or (grand and above[1:2] != (grand,)):
                continue
            part = ContentsPart(label, text.path, below(name, depth + 1, (name, *above)))
            entries.append(((number(order), str(order or ""), label.lower()), part))
        return sorted_parts(entries)

    return list(below("", 0, ()))


def jekyll_order(texts: Texts) -> list[ContentsPart]:
    """``nav_order`` and ``parent`` of pages, as themes for documentation read them."""

    def key(text: OrderedText) -> tuple[str, object, object, str]:
        front = text.front
        is_out = lenient_values.is_true(front.get("nav_exclude")) or not {"nav_order", "parent"} & front.keys()
        return "" if is_out else text.title, front.get("parent"), front.get("nav_order"), text.title

    return by_parents(texts, key)


def eleventy_order(texts: Texts) -> list[ContentsPart]:
    """``eleventyNavigation``: key, parent, order and title."""

    def key(text: OrderedText) -> tuple[str, object, object, str]:
        given = table(text.front.get("eleventyNavigation"))
        name = words(given.get("key"))
        return name, given.get("parent"), given.get("order"), words(given.get("title")) or name

    return by_parents(texts, key)


BY_FRONT: frozenset[Arrange | None] = frozenset({by_weight, jekyll_order, eleventy_order})
"""Those that read front matter alone: where no text has a key of ``PLACING`` they find nothing."""


def ordered_text(
    path: str, language: str, title: str, front: Mapping[str, Any], address: str, original: str
) -> OrderedText:
    """A text as it is placed; ``original`` is the file that it translates, or itself."""
    named = path_without_language(path, language)
    if original != path:
        return OrderedText(original, title, front, address, language)
    ending = path[len(posixpath.splitext(path)[0]) :]
    is_translation = bool(language) and named != posixpath.splitext(path)[0]
    return OrderedText(f"{named}{ending}" if is_translation else path, title, front, address, language * is_translation)
