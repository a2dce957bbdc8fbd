"""Settings and front matter of other tools, read leniently: words that mean yes or no, keys in any case, odd tags."""

import re
from collections.abc import Mapping
from typing import Any

from citepress.base.text import bounded
from citepress.content import json_loader, toml_loader, yaml_loader

YAML_TAG = re.compile(r"([:\[,{-][ \t]*)!{1,2}[A-Za-z][^\s,\]}]*")
"""A tag of YAML, as in ``!ENV`` and ``!!python/name:x``; its value is read without it. A line of a block such as
``!keep.md`` is none."""
_WIDE = {
    rb"\xff\xfe\0\0": "utf-32-le",
    rb"\0\0\xfe\xff": "utf-32-be",
    rb"\xff\xfe|[^\0]\0[^\0]\0": "utf-16-le",
    rb"\xfe\xff|\0[^\0]\0[^\0]": "utf-16-be",
}
"""Other encodings by the first bytes of a text: a byte order mark, or Latin letters."""
YES, NO = frozenset({"true", "yes", "on", "1"}), frozenset({"false", "no", "off", "0"})


def readable(data: bytes) -> tuple[str, str]:
    """The text of a file, and a note if it is not UTF-8. It is read all the same: its front matter may be private."""
    encoding = next((name for begins, name in _WIDE.items() if re.match(begins, data)), "")
    if encoding:
        return data.decode(encoding, "replace").removeprefix("\ufeff"), f"read as {encoding.upper()}"
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "read as Windows-1252, because it is not UTF-8"


def settings(text: str, name: str) -> dict[str, Any]:
    """The settings of a file, by the ending of its name. Raises ``ParseFault``."""
    if name.endswith(".toml"):
        return toml_loader.load(text)
    members = json_loader.load(text) if name.endswith(".json") else yaml_loader.load(YAML_TAG.sub(r"\1", text))
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
    return value is True or (isinstance(value, str | int) and str(value).strip().lower() in YES)


def is_false(value: object) -> bool:
    """Whether a value says no in any of the usual ways."""
    return value is False or (isinstance(value, str | int) and str(value).strip().lower() in NO)


def items(value: object) -> list[object]:
    """The items of a list; a single value as a list of one."""
    if value in (None, ""):
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def table(value: object) -> dict[str, Any]:
    """A mapping, or an empty one."""
    return dict(value) if isinstance(value, Mapping) else {}
