"""Sidebars of Docusaurus: what its settings declare, and what its folders, files and front matter say of the rest."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from citepress.base.slugs import slugify
from citepress.content.value_marks import ParseFault
from citepress_notes import lenient_values
from citepress_notes.former_tools import ToolFiles
from citepress_notes.lenient_values import items, table, words
from citepress_notes.reading_order import HEADING, MAX_LEVELS, ContentsPart, Texts, children, number, sorted_parts
from citepress_notes.script_values import Script, ScriptCall, is_plain, texts

NUMBERED = re.compile(r"^(\d+)\s*[-_.]+\s*(?=[^\d\s])")
_CATEGORY = ("_category_.json", "_category_.yml", "_category_.yaml")
_SIDEBARS = tuple(f"sidebars.{ending}" for ending in ("js", "ts", "mjs", "cjs", "json"))


class DocusaurusSidebars:
    """The sidebars of one folder of documents."""

    def __init__(self, files: ToolFiles, folder: str, at: str, given: object, unsaid: list[str]) -> None:
        """``given`` is ``sidebarPath``, ``at`` the path of the folder.

        What only running the code would tell is added to ``unsaid``.
        """
        self._files, self._folder, self._at = files, folder, at
        if isinstance(given, ScriptCall):
            given = next(iter(texts(list(given.arguments))), "")
        named = words(given).removeprefix("./").removeprefix("@site/")
        names = [named] if named else _SIDEBARS
        self._name = "" if given is False else next((name for name in names if files.has(name)), "")
        self._sidebars = self._read() if self._name else {}
        unsaid += [f"all of the sidebars in {self._name}"] if not is_plain(self._sidebars) else []

    def _read(self) -> dict[str, Any]:
        text = self._files.text(self._name) or ""
        if not self._name.endswith(".json"):
            return Script(text).exported()
        try:
            return lenient_values.settings(text, self._name)
        except ParseFault:
            return {}

    def arrange(self, shown: Texts) -> list[ContentsPart]:
        """The sidebars, each below its name where there are several; nothing where no order is declared."""
        below = f"{self._folder}/" if self._folder else ""
        own = {path: text for path, text in shown.items() if path.startswith(below)}
        ids = {self._id(path, text.front): path for path, text in own.items()}
        if self._sidebars:
            named = [(name, tuple(self._parts(rows, own, ids, 0))) for name, rows in self._sidebars.items()]
            if len(named) == 1:
                return list(named[0][1])
            return [ContentsPart(_spaced(name), HEADING, parts) for name, parts in named]
        positions = (self._position(path.removeprefix(below), text.front) for path, text in own.items())
        declared = any(position is not None for position in positions) or any(map(self._category, self._folders(own)))
        return list(self._tree(self._folder, own, 0)) if declared else []

    def _folders(self, own: Texts) -> Iterable[str]:
        return {posixpath.dirname(path) for path in own}

    def _id(self, path: str, front: Mapping[str, Any]) -> str:
        *folders, name = re.sub(r"\.\w+$", "", path).removeprefix(self._folder).strip("/").split("/")
        own = words(front.get("id")) or NUMBERED.sub("", name)
        return "/".join([*(NUMBERED.sub("", part) for part in folders), own])

    def _position(self, name: str, front: Mapping[str, Any]) -> float | None:
        given, match = number(front.get("sidebar_position")), NUMBERED.match(posixpath.basename(name))
        return given if given is not None else float(match[1]) if match else None

    def _category(self, folder: str) -> dict[str, Any]:
        name = next((path for name in _CATEGORY if self._files.has(path := posixpath.join(folder, name))), "")
        try:
            return lenient_values.settings(self._files.text(name) or "", name) if name else {}
        except ParseFault:
            return {}

    def _tree(self, folder: str, own: Texts, depth: int) -> tuple[ContentsPart, ...]:
        """What is generated of a folder: by position, then by name."""
        entries = []
        for name, paths in children(own, folder) if depth < MAX_LEVELS else ():
            if name.endswith("/"):
                entries.append(self._folder_entry(posixpath.join(folder, name[:-1]), own, depth))
            else:
                front = own[paths[0]].front
                part = ContentsPart(words(front.get("sidebar_label")), paths[0])
                entries.append(((self._position(name, front), name), part))
        return sorted_parts(entries)

    def _folder_entry(self, folder: str, own: Texts, depth: int) -> tuple[tuple[Any, ...], ContentsPart]:
        name, about = posixpath.basename(folder), self._category(folder)
        parts = self._tree(folder, own, depth + 1)
        bare, link = NUMBERED.sub("", name), table(about.get("link"))
        ids = {self._id(part.path, own[part.path].front): part.path for part in parts if part.path and not part.parts}
        if "link" not in about:
            index = (path for id_, path in ids.items() if _is_index(id_.rpartition("/")[2], bare))
            path = next(index, "")
        else:
            given = words(link.get("id"))
            inner = next((id_ for id_ in ids if given in (id_, id_.rpartition("/")[2])), "") if given else ""
            path = ids.get(inner, "")
        front = own[path].front if path else {}
        position = number(about.get("position"))
        position = position if position is not None else number(front.get("sidebar_position"))
        label = words(about.get("label")) or words(front.get("sidebar_label")) or (own[path].title if path else bare)
        rest = tuple(part for part in parts if part.path != path or part.parts)
        position = position if position is not None else self._position(name, {})
        return (position, name), ContentsPart(label, path, rest, self._list(label, link))

    def _list(self, label: str, link: Mapping[str, Any]) -> str:
        """The path of the page that is generated of a category."""
        slug = words(link.get("slug")) or f"category/{slugify(label)}"
        return f"{self._at}{slug.strip('/')}" if words(link.get("type")) == "generated-index" else ""

    def _parts(self, rows: object, own: Texts, ids: Mapping[str, str], depth: int) -> Iterator[ContentsPart]:
        """The items that settings name."""
        if depth >= MAX_LEVELS:
            return
        if isinstance(rows, Mapping) and "type" not in rows:
            yield from (
                ContentsPart(str(label), "", tuple(self._parts(inner, own, ids, depth + 1)))
                for label, inner in rows.items()
            )
            return
        for row in items(rows):
            about = {"type": "doc", "id": row} if isinstance(row, str) else table(row)
            sort = words(about.get("type"))
            if sort in ("doc", "ref"):
                path = ids.get(words(about.get("id")), "")
                label = words(about.get("label")) or (words(own[path].front.get("sidebar_label")) if path else "")
                yield from [ContentsPart(label, path)] if path else []
            elif sort == "autogenerated":
                folder = posixpath.normpath(posixpath.join(self._folder, words(about.get("dirName"))))
                yield from self._tree("" if folder == "." else folder, own, depth)
            elif sort == "category":
                inner = tuple(self._parts(about.get("items"), own, ids, depth + 1))
                path = ids.get(words(table(about.get("link")).get("id")), "")
                label, rest = words(about.get("label")), tuple(part for part in inner if part.path != path)
                yield ContentsPart(label, path, rest, self._list(label, table(about.get("link"))))
            elif about and not sort:
                yield from self._parts(about, own, ids, depth)


def _is_index(name: str, folder: str) -> bool:
    return name.lower() in ("index", "readme", folder.lower())


def _spaced(name: str) -> str:
    words_of = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]+", " ", re.sub(r"[_-]?[sS]idebar$", "", name)).strip()
    return (words_of[:1].upper() + words_of[1:]) or name
