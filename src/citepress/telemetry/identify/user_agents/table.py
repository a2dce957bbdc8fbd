"""The reviewed families of ``families.toml``, read and checked."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from typing import Any, get_args

from citepress.contract.reports.words import Operation, Purpose

FILE = "families.toml"
SHORTEST_TOKEN = 4
REVIEW_DAYS = 366
"""A row reviewed longer ago is due for another look."""
CLASSES = ("crawler", "ai_user_agent", "machine_route", "scanner_noise")
"""Classes that a row may have."""
PURPOSES, OPERATIONS = frozenset(get_args(Purpose)), frozenset(get_args(Operation))
WORDS = frozenset((
    "agent", "android", "apple", "archive", "browser", "chrome", "chromium", "client", "code", "cursor", "desktop", "edge", "feed",
    "fetch", "fetcher", "firefox", "google", "http", "image", "images", "index", "java", "library", "linux", "macintosh", "mobile",
    "monitor", "mozilla", "node", "operator", "perl", "preview", "proxy", "python", "reader", "robot", "ruby", "safari", "scan",
    "scanner", "search", "security", "server", "service", "spider", "test", "web", "webkit", "windows",
))  # fmt: skip
"""Words that are no token alone: browsers and people's programs use them."""
_VERSION = re.compile(r"\d{4}\.(?:[1-9]|1[0-2])\.\d+")
_TEXT = ("name", "operator", "purpose", "class", "operation", "source", "sample")
_OPTIONAL = ("ranges", "rdns", "signature", "disputed")
_LISTS = ("tokens", "ranges", "rdns")


class FamilyTableError(ValueError):
    """The table cannot be used; the text names every fault, a line each."""


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of client as the reports name it."""

    name: str
    operator: str = ""
    """Who runs it; empty where that is not known or it is a program that anybody runs."""
    purpose: str = "unknown"
    cls: str = ""
    """Class that its requests fall into; empty for the bracketed families, whose requests are told apart one by one."""
    operation: str = "direct"
    ranges: tuple[str, ...] = ()
    """Keys of the address lists that its operator publishes."""
    rdns: tuple[str, ...] = ()
    """Names that its addresses have."""
    signature: str = ""
    """Directory of the keys that it signs with."""
    disputed: str = ""
    """Who says otherwise of its purpose."""
    listed: bool = False
    """Whether it is named by the table or the public list; bracketed families such as ``(browser-like)`` are not."""

    @property
    def named(self) -> bool:
        """``listed``, as the store calls it."""
        return self.listed


AUTOMATION = Family("(unlisted automation)")
BROWSER = Family("(browser-like)")
CLIENT = Family("(unlisted client)")
NO_AGENT = Family("(no user agent)")
UNRESOLVED = Family("(unresolved)")
SPECIAL = (AUTOMATION, BROWSER, CLIENT, NO_AGENT, UNRESOLVED)


@dataclass(frozen=True, slots=True)
class FamilyRule:
    """A reviewed family."""

    family: Family
    tokens: tuple[str, ...]
    source: str
    reviewed_at: date
    sample: str


@dataclass(frozen=True, slots=True)
class FamilyTable:
    """The file as a whole."""

    version: str
    rows: tuple[FamilyRule, ...]
    robots_only: tuple[str, ...]
    """Tokens of robots.txt that no client sends."""
    not_crawlers: frozenset[str]
    """Patterns of the public list that are left out."""
    stands_for: Mapping[str, str]
    """Patterns of the public list that stand for a row, by its name."""
    text: bytes
    """What was read, for the version's digest."""


def shipped() -> FamilyTable:
    """The table that comes with the package. Raises ``FamilyTableError``."""
    return load(files(__package__).joinpath(FILE).read_bytes())


def load(text: bytes) -> FamilyTable:
    """The table of a file's text. Raises ``FamilyTableError`` with every fault found."""
    try:
        raw = tomllib.loads(text.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FamilyTableError(f"{FILE} cannot be read: {error}") from None
    if faults := [*_faults(raw)]:
        raise FamilyTableError("\n".join(faults))
    rows = tuple(_row(one) for one in raw["family"])
    return FamilyTable(raw["version"], rows, tuple(raw["robots_only"]), frozenset(raw["not_crawlers"]), raw.get("stands_for", {}), text)


def due(table: FamilyTable, today: date) -> list[str]:
    """Rows that were last reviewed over a year ago."""
    return [row.family.name for row in table.rows if (today - row.reviewed_at).days > REVIEW_DAYS]


def _row(one: Mapping[str, Any]) -> FamilyRule:
    family = Family(
        one["name"], one["operator"], one["purpose"], one["class"], one["operation"],
        tuple(one.get("ranges", ())), tuple(one.get("rdns", ())), one.get("signature", ""), one.get("disputed", ""), listed=True,
    )  # fmt: skip
    return FamilyRule(family, tuple(one["tokens"]), one["source"], one["reviewed_at"], one["sample"])


def _faults(raw: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the file, a sentence each."""
    rows = raw.get("family")
    if not isinstance(rows, list) or not rows or not all(isinstance(one, dict) for one in rows):
        yield "there is no [[family]]"
        return
    if not _VERSION.fullmatch(str(raw.get("version"))):
        yield "version is written YYYY.M.n"
    for key in ("robots_only", "not_crawlers"):
        if not _strings(raw.get(key)):
            yield f"{key} is a list of texts"
    shaped = [one for one in rows if not [*_shape(one)]]
    for one in rows:
        yield from (f"family {one.get('name', '?')!r}: {fault}" for fault in (*_shape(one),) or (*_sense(one),))
    yield from _shared("name", (one["name"] for one in shaped))
    yield from _shared("token", (token for one in shaped for token in one["tokens"]))
    names = {one["name"] for one in shaped}
    yield from (f"{name!r} is a token of robots.txt and no visitor" for name in raw.get("robots_only", ()) if name in names)
    yield from (f"stands_for names no row: {name!r}" for name in raw.get("stands_for", {}).values() if name not in names)


def _shape(one: Mapping[str, Any]) -> Iterator[str]:
    """Keys that are missing, unknown or of the wrong type."""
    yield from (f"{key} is missing" for key in (*_TEXT, "tokens", "reviewed_at") if key not in one)
    yield from (f"{key} is no key of a family" for key in one if key not in {*_TEXT, *_OPTIONAL, "tokens", "reviewed_at"})
    yield from (f"{key} is a text" for key in (*_TEXT, "signature", "disputed") if not isinstance(one.get(key, ""), str))
    yield from (f"{key} is a list of texts" for key in _LISTS if key in one and not (one[key] and _strings(one[key])))
    if type(one.get("reviewed_at")) is not date:
        yield "reviewed_at is a date"


def _sense(one: Mapping[str, Any]) -> Iterator[str]:
    """Values that make no sense."""
    checks: tuple[tuple[str, Callable[[str], bool], str], ...] = (
        ("name", lambda name: bool(name.strip()) and not name.startswith("("), "is a name without brackets around it"),
        ("purpose", PURPOSES.__contains__, f"is one of {', '.join(sorted(PURPOSES))}"),
        ("class", CLASSES.__contains__, f"is one of {', '.join(CLASSES)}"),
        ("operation", OPERATIONS.__contains__, f"is one of {', '.join(sorted(OPERATIONS))}"),
        ("source", lambda url: url.startswith(("https://", "http://")), "is the address of a page"),
    )
    yield from (f"{key} {wanted}" for key, right, wanted in checks if not right(one[key]))
    if (one["class"] == "ai_user_agent") is not (one["purpose"] == "user_action"):
        yield "the class ai_user_agent and the purpose user_action go together"
    if (one["class"] == "machine_route") is not (one["purpose"] == "library"):
        yield "the class machine_route and the purpose library go together"
    for token in one["tokens"]:
        if token != token.lower() or not token.isascii() or len(token) < SHORTEST_TOKEN:
            yield f"token {token!r}: lower-case ASCII of at least {SHORTEST_TOKEN} characters"
        elif token in WORDS:
            yield f"token {token!r} is a word that others use; add a slash or more"


def _shared(what: str, values: Iterable[str]) -> Iterator[str]:
    yield from (f"the {what} {value!r} stands twice" for value, times in Counter(values).items() if times > 1)


def _strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) and one for one in value)
