"""Maps the front matter of other tools (Hugo, Zola, Jekyll, Obsidian) to the keys of a note."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime, timedelta, timezone
from typing import NamedTuple
from urllib.parse import quote
from zoneinfo import ZoneInfo

from citepress.base.slugs import tag_slug
from citepress.base.text import bounded
from citepress.base.timestamps import is_day
from citepress.content.written_dates import moment_of
from citepress.contract.record import AUTHOR_LENGTH, TITLE_LENGTH

MAX_SUMMARY_CHARS, TAGS, MAX_TAG_CHARS, ALIASES = 300, 50, 80, 50
SAME = {
    "date": ("date", "created", "pubDate", "published"),
    "lastmod": ("lastmod", "updated", "modified", "last_modified_at", "last_modified", "last_update"),
    "summary": ("summary", "description", "excerpt", "desc"),
    "language": ("language", "lang"),
    "translationKey": ("translationKey", "translation_key"),
    "publishDate": ("publishDate", "publish_date", "publishdate"),
    "expiryDate": ("expiryDate", "expiry_date", "expirydate", "unpublishDate", "unpublishdate"),
}
"""Our key, and the names that it goes by; the first that is there counts."""
DATES = frozenset({"date", "lastmod", "publishDate", "expiryDate"})
WRITTEN_BY = ("authors", "author")
_LINKED = re.compile(r"\[([^\[\]]{1,160})\]\(\s*([^()\s]{0,2000})[^()]{0,200}\)")
TAGGED = ("tags", "categories", "category", "topics")
"""Topics of a plain note are words of its author: the folder has no hubs that they could name."""
FORMER = ("aliases", "alias", "redirect_from", "path", "url", "permalink")
"""Keys that hold the present and former addresses of a note."""
ADDRESSES = ("permalink", "url", "path")
"""Those of them that hold the present one."""
OTHERWISE_READ = {*TAGGED, *FORMER, *WRITTEN_BY, "slug", "extra", "gone"}
"""Keys that are not taken over as they are written."""
_RULE = re.compile(r"(?<![A-Za-z0-9:]):|://")
"""A placeholder, as in ``/:year/:title/``, or an address with its host."""
_LOCAL = re.compile(r"\d:\d\d(?::\d\d)?(?:[.,]\d+)?\s*(?:[AaPp]\.?[Mm]\.?)?\s*\Z")
"""A value that ends with an hour."""
_IN_ADDRESSES = "".join(map(chr, range(0x21, 0x7F)))
"""Characters of a path that stay as the author wrote them; spaces and letters beyond ASCII are percent-encoded."""
_DATED = re.compile(
    r"(?:^|/)(?:([1-9]\d{3})([-/_.])(\d{1,2})\2(\d{1,2})|((?:19|20)\d\d)(\d\d)(\d\d)(?:\d{4}(?:\d\d)?)?)"
    r"(?:[-_/ T]|\.[A-Za-z]+$|$)"
)
"""``2022-10-28``, ``2022_10_28``, ``2022/10/28``, ``20221028`` and ``202210281405``."""


_DAY_FIRST = re.compile(r"^(?:\d{4}([-_.])\d\d?\1\d\d?|(?:19|20)\d{6}(?:\d{4}(?:\d\d)?)?)[-_ ]+(?=.)")


class Adapted(NamedTuple):
    """A note's front matter under our keys."""

    members: dict[str, object]
    written: Mapping[str, str]
    """Our key to the one that the author wrote."""


def adapted(raw: Mapping[str, object], *, paths: bool, zone: str = "") -> Adapted:
    """The members that a note can have; everything else is the other tool's own.

    ``paths`` tells that a bare word among the aliases is a path, as in TOML; in YAML it may be another name of the
    note. ``zone`` is that of hours without an offset.
    """
    members = {key: value for key, value in raw.items() if key not in OTHERWISE_READ}
    written: dict[str, str] = {}
    for ours, names in SAME.items():
        written_name = next(
            (name for name in names if raw.get(name) not in (None, "") and not isinstance(raw.get(name), bool)), ""
        )
        for name in names:
            members.pop(name, None)
        if written_name:
            given = raw[written_name]
            if isinstance(given, Mapping) and "created" in given:  # of Material for MkDocs
                given = given["created"]
            members[ours], written[ours] = _value(ours, given, zone), written_name
    if isinstance(title := members.get("title"), str | int | float) and not isinstance(title, bool):
        members["title"] = bounded(str(title), TITLE_LENGTH)
    if authors := _authors(raw):
        members["authors"] = authors
    if tags := _tags(raw):
        members["tags"] = tags
    if aliases := former_paths(raw, paths=paths):
        members["aliases"] = aliases[:ALIASES]
    return Adapted({key: value for key, value in members.items() if value not in (None, "")}, written)


def find_date(raw: Mapping[str, object], path: str) -> str:
    """The day in a note's own path or file name, as in ``path = "2022/10/28/x"`` and ``2022-10-28-x.md``.

    Or nothing, also where the calendar has no such day.
    """
    for text in (raw.get("path"), raw.get("url"), raw.get("permalink"), path):
        for match in _DATED.finditer(text) if isinstance(text, str) else ():
            year, _, month, day, *together = match.groups()
            with suppress(ValueError):
                return date(*map(int, (year, month, day) if year else together)).isoformat()
    return ""


def strip_date(stem: str) -> str:
    """The name of a file without the day that it begins with."""
    return _DAY_FIRST.sub("", stem)


def _value(ours: str, value: object, zone: str) -> object:
    if ours == "summary":
        return bounded(value, MAX_SUMMARY_CHARS) if isinstance(value, str) else value
    if ours == "language" and isinstance(value, str):
        return value.strip().partition(".")[0].replace("_", "-")  # en_US.UTF-8 is a name of a locale
    if ours not in DATES or (isinstance(value, str) and is_day(value)):
        return value
    moment = moment_of(value)
    return (in_zone(moment, value, zone) if moment and zone else moment) or value


def in_zone(moment: datetime, value: object, zone: str) -> datetime:
    """A moment in the zone of its author, with its offset there, where the value names an hour and no offset."""
    is_local = value.tzinfo is None if isinstance(value, datetime) else _LOCAL.search(str(value)) is not None
    with suppress(ValueError, OSError):  # a zone that nobody knows
        local = moment.replace(tzinfo=ZoneInfo(zone)) if is_local else moment
        return local.replace(tzinfo=timezone(local.utcoffset() or timedelta()))
    return moment


def _authors(raw: Mapping[str, object]) -> list[object]:
    """The authors as mappings; other tools write a bare name for each, or one name."""
    value = next((raw[name] for name in WRITTEN_BY if raw.get(name)), [])
    items = value if isinstance(value, list) else [value]
    return [author for item in items if item for author in (authors_in(item) if isinstance(item, str) else [item])]


def authors_in(text: str) -> list[dict[str, str]]:
    """The authors that a text names: each link of Markdown in it is one, as in ``[A B](https://…), [C D](…)``."""
    links = _LINKED.findall(text)
    if not links:
        return [{"name": bounded(text, AUTHOR_LENGTH)}]
    others = (word.strip() for word in re.split(r",|;|&|\band\b", _LINKED.sub(",", text)))
    authors = [{"name": bounded(name, AUTHOR_LENGTH), **_url(url)} for name, url in links]
    return authors + [{"name": bounded(name, AUTHOR_LENGTH)} for name in others if name]


def _url(text: str) -> dict[str, str]:
    return {"url": text} if re.match(r"https?://\S+$", text) else {}


def _tags(raw: Mapping[str, object]) -> list[str]:
    """Tags and categories under all of their names, once each: ``Ports`` and ``ports`` are one."""
    taxonomies = raw.get("taxonomies")
    sources = [raw.get(name) for name in TAGGED] + [
        taxonomies.get(name) for name in (*TAGGED, "keywords") if isinstance(taxonomies, Mapping)
    ]
    words = [word.removeprefix("#") for source in sources for word in _words(source) if word.strip("# ")]
    once: dict[str, str] = {}
    for word in words:
        once.setdefault(tag_slug(word), bounded(word, MAX_TAG_CHARS))
    return list(once.values())[:TAGS]


def _words(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return [word.strip() for word in (value.split(",") if "," in value else value.split())]
    items = value if isinstance(value, list) else [value]
    return [str(word).strip() for word in items if isinstance(word, str | int | float) and not isinstance(word, bool)]


def former_paths(raw: Mapping[str, object], *, paths: bool) -> list[str]:
    """All paths of this site, each beginning with a slash; a permalink with placeholders is a rule and no path."""
    return list(placed_paths(raw, paths=paths))


def placed_paths(raw: Mapping[str, object], *, paths: bool) -> dict[str, tuple[str | int, ...]]:
    """The same paths, each with its place in the front matter."""
    placed: dict[str, tuple[str | int, ...]] = {}
    for name in FORMER:
        value = raw.get(name)
        bare = paths or name not in ("aliases", "alias")
        for place, item in enumerate(value) if isinstance(value, list) else [(-1, value)]:
            if isinstance(item, str) and (path := _path(item.strip(), bare=bare)):
                placed.setdefault(path, (name,) if place < 0 else (name, place))
    return placed


def _path(text: str, *, bare: bool) -> str:
    """A path as it stands in an address; nothing for a rule with placeholders and for another name of the note."""
    if not text or text == "/" or "{" in text or ".." in text.split("/") or _RULE.search(text):
        return ""
    is_path = text.startswith("/") or bare or (" " not in text and ("/" in text or text.endswith((".html", ".htm"))))
    return quote(text if text.startswith("/") else f"/{text}", safe=_IN_ADDRESSES) if is_path else ""
