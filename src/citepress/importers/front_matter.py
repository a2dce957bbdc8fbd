"""Front matter and settings of other tools, read leniently."""

import re
from collections.abc import Mapping
from typing import Any

from citepress.base.text import bounded
from citepress.content import json_loader, toml_loader, yaml_loader
from citepress.content.source_map import TOML, split
from citepress.content.value_marks import ParseFault
from citepress.importers.errors import ImportRefusedError

_TAG = re.compile(r"(^|[\s:\[,-])!{1,2}[A-Za-z][^\s,\]]*", re.MULTILINE)
_TRUE, _FALSE = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


def parted(text: str) -> tuple[dict[str, Any], str, bool]:
    """Front matter, body, and whether the front matter is TOML. Raises ``ImportRefusedError`` with the reason."""
    matter = split(text.lstrip("\n"))
    if matter.front is None or not matter.closed:
        return {}, text.strip("\n"), False
    try:
        try:
            members = matter.format.load(matter.front)
        except ParseFault:
            clean = _TAG.sub(r"\1", matter.front).replace("\t", "  ")
            if clean == matter.front:
                raise
            members = matter.format.load(clean)
    except ParseFault as error:
        line = error.mark[0] + matter.format.above
        raise ImportRefusedError(f"line {line}: {error.message}") from None
    return (members if isinstance(members, dict) else {}), matter.body, matter.format is TOML


def settings(text: str, name: str) -> dict[str, Any]:
    """The settings of a file, by the ending of its name. Raises ``ImportRefusedError``."""
    try:
        if name.endswith(".toml"):
            return toml_loader.load(text)
        members = json_loader.load(text) if name.endswith(".json") else yaml_loader.load(_TAG.sub(r"\1", text))
    except ParseFault as error:
        raise ImportRefusedError(f"{name}, line {error.mark[0]}: {error.message}") from None
    return members if isinstance(members, dict) else {}


def lowered(members: Mapping[str, Any]) -> dict[str, Any]:
    """The same settings under keys in lower case, as Hugo reads them; those of nested tables too."""
    return {str(key).lower(): lowered(value) if isinstance(value, Mapping) else value for key, value in members.items()}


def words(value: object, limit: int = 400) -> str:
    """A value as a line of text; nothing for what is no text or number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return bounded(str(value), limit)


def is_true(value: object) -> bool:
    """Whether a value says yes in any of the usual ways."""
    return value is True or (isinstance(value, str | int) and str(value).strip().lower() in _TRUE)


def is_false(value: object) -> bool:
    """Whether a value says no in any of the usual ways."""
    return value is False or (isinstance(value, str | int) and str(value).strip().lower() in _FALSE)


def items(value: object) -> list[object]:
    """The items of a list; a single value as a list of one."""
    if value in (None, ""):
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def table(value: object) -> dict[str, Any]:
    """A mapping, or an empty one."""
    return dict(value) if isinstance(value, Mapping) else {}
