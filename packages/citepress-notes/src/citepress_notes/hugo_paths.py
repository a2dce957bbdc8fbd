"""Paths as Hugo makes them: of names and titles, by the rules of permalinks, and of aliases."""

import posixpath
import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import unquote_plus

from citepress.content.written_dates import moment_of
from citepress_notes import lenient_values

_TOKEN = re.compile(r":(\w+)(?:\[([^\]]*)\])?")
_ENCODED = re.compile(r"%[0-9a-fA-F]{2}")
_SIGNS = frozenset("./\\_#+~")
"""Signs that every version of Hugo leaves in a path; letters, marks and digits stay too."""


def urlized(path: str, *, older: bool = False) -> str:
    """A path as Hugo writes it: lower case, hyphens for spaces, and few signs.

    ``older`` tells that it is a version such as 0.92, which joins hyphens and drops ``@``.
    """
    result: list[str] = []
    waits, signs = False, _SIGNS if older else _SIGNS | {"-", "@"}
    for place, sign in enumerate(path):
        if _stays(path, place, signs):
            if waits and sign != "-":
                result.append("-")
            waits = False
            result.append(sign)
        elif sign.isspace() or sign == "-":
            waits = bool(result) and result[-1] != "-"
    # sign by sign: the lower case of a whole word depends on its language
    return "".join(sign.lower()[0] for sign in result)


def _stays(path: str, place: int, signs: frozenset[str]) -> bool:
    """Whether Hugo leaves the sign at a place of a path."""
    sign = path[place]
    if sign in signs or _ENCODED.match(path, place):
        return True
    kind = unicodedata.category(sign)
    return kind[0] in "LM" or kind == "Nd"


def aliases_of(front: Mapping[str, Any], public: str, prefix: str, *, ending: str) -> list[str]:
    """The aliases of a page as paths of the site: those without a slash in front begin beside the page.

    Newer versions put those that begin with a slash below the language, ``prefix``.
    """
    beside = posixpath.dirname(public.rstrip("/"))
    paths: dict[str, None] = {}
    given = (alias.strip() for alias in lenient_values.items(front.get("aliases")) if isinstance(alias, str))
    for alias in given:
        if not alias or "://" in alias:
            continue
        for folder in dict.fromkeys(("", prefix)) if alias.startswith("/") else (beside,):
            path = "/" + posixpath.normpath(f"/{folder}/{alias}").lstrip("/")
            if ending and not path.endswith(ending):
                path += ending
            paths.setdefault(f"{path}/" if alias.endswith("/") and not ending else path)
    return list(paths)


def by_rule(rule: str, front: Mapping[str, Any], name: str, sections: list[str], *, older: bool) -> str:
    """The path that a permalink makes, before it is ``urlized`` as a whole."""
    path = _TOKEN.sub(lambda match: _token(match, front, name, sections, older=older), rule)
    return unquote_plus(path)  # as Hugo does, which takes a plus sign for a space


def _token(match: re.Match[str], front: Mapping[str, Any], name: str, sections: list[str], *, older: bool) -> str:
    """The value of a token of a permalink."""
    moment: datetime | None = moment_of(front.get("date"))
    part, cut = match[1].lower(), match[2]
    dates = {"year": "%Y", "month": "%m", "day": "%d", "monthname": "%B", "weekdayname": "%A", "yearday": "%j"}
    if part in dates:
        return moment.strftime(dates[part]).lower() if moment else ""
    if part in ("section", "sections"):
        return _cut(sections, cut) if part == "sections" else "/".join(sections[:1])
    slug = lenient_values.words(front.get("slug")).removesuffix("-")
    title = lenient_values.words(front.get("title"))
    words = {"title": title, "slug": slug or title}.get(part) or (slug if part.startswith("slug") else "")
    path = urlized(words if part in ("title", "slug") else words or name, older=older)
    return path.removesuffix("#") if path.count("#") == 1 else path  # Hugo drops an empty fragment


def _cut(sections: list[str], cut: str | None) -> str:
    if not cut:
        return "/".join(sections)
    first, colon, last = cut.partition(":")
    try:
        if colon:
            return "/".join(sections[int(first or 0) : int(last) if last and last != "last" else None])
        return sections[-1] if cut == "last" else sections[int(cut)]
    except (ValueError, IndexError):
        return ""
