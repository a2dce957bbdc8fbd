"""The reviewed families of ``families.toml``, parsed and validated."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from typing import Any, get_args

from citepress.base.errors import CitepressError
from citepress_telemetry.contract.words import ConsumptionRoute, Purpose, TrafficClass

FAMILIES_FILE = "families.toml"
MIN_TOKEN_CHARS = 4
REVIEW_DAYS = 366
"""Days after which a row is due for another review."""
ROW_CLASSES = tuple(word for word in TrafficClass if word is not TrafficClass.HUMAN_PAGE_VIEW)
"""Classes that a row may have: no name says that a person is viewing a page."""
PURPOSES, OPERATIONS = frozenset(get_args(Purpose)), frozenset(get_args(ConsumptionRoute))
COMMON_TOKENS = frozenset(files(__package__).joinpath("common_tokens.txt").read_text("utf-8").split())
"""Words that must not be a token by themselves, because browsers and other programs use them."""
_VERSION = re.compile(r"\d{4}\.(?:[1-9]|1[0-2])\.\d+")
_TEXT = ("name", "operator", "purpose", "class", "operation", "source", "sample")
_OPTIONAL = ("ranges", "rdns", "signature", "disputed")
_LISTS = ("tokens", "ranges", "rdns")


class FamilyTableError(CitepressError, ValueError):
    """The table cannot be used; the message names every fault on a line of its own."""


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of client, as reports name it."""

    name: str
    operator: str = ""
    """Who runs it; empty if that is unknown or anybody can run it."""
    purpose: str = "unknown"
    cls: str = ""
    """Class of its requests; empty for the bracketed families, whose requests are classified one by one."""
    operation: str = "direct"
    ranges: tuple[str, ...] = ()
    """Keys of the address lists that its operator publishes."""
    rdns: tuple[str, ...] = ()
    """Domains of the host names of its addresses."""
    signature: str = ""
    """URL of the directory of its signing keys."""
    disputed: str = ""
    """Who disputes its purpose."""
    listed: bool = False
    """Whether the table or the public list names it; bracketed families such as ``(browser-like)`` are not."""

    @property
    def named(self) -> bool:
        """``listed``, as the store calls it."""
        return self.listed


AUTOMATION = Family("(unlisted automation)")
BROWSER = Family("(browser-like)")
UNLISTED_CLIENT = Family("(unlisted client)")
NO_AGENT = Family("(no user agent)")
UNRESOLVED = Family("(unresolved)")
SPECIAL = (AUTOMATION, BROWSER, UNLISTED_CLIENT, NO_AGENT, UNRESOLVED)


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
    """Tokens of robots.txt that no client sends as its User-Agent."""
    not_crawlers: frozenset[str]
    """Patterns of the public list that are left out."""
    stands_for: Mapping[str, str]
    """Names of rows by the patterns of the public list that mean the same client."""
    text: bytes
    """The file's text, for the digest in the version."""


def shipped() -> FamilyTable:
    """The table of the package. Raises ``FamilyTableError``."""
    return load(files(__package__).joinpath(FAMILIES_FILE).read_bytes())


def load(text: bytes) -> FamilyTable:
    """Parse a table. Raises ``FamilyTableError`` with every fault."""
    try:
        raw = tomllib.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FamilyTableError(f"{FAMILIES_FILE} cannot be read: {error}") from None
    if faults := [*_faults(raw)]:
        raise FamilyTableError("\n".join(faults))
    rows = tuple(_row(row) for row in raw["family"])
    return FamilyTable(
        raw["version"], rows, tuple(raw["robots_only"]), frozenset(raw["not_crawlers"]), raw.get("stands_for", {}), text
    )


def due(table: FamilyTable, today: date) -> list[str]:
    """Rows that were last reviewed over a year ago."""
    return [row.family.name for row in table.rows if (today - row.reviewed_at).days > REVIEW_DAYS]


def _row(row: Mapping[str, Any]) -> FamilyRule:
    family = Family(
        row["name"],
        row["operator"],
        row["purpose"],
        row["class"],
        row["operation"],
        tuple(row.get("ranges", ())),
        tuple(row.get("rdns", ())),
        row.get("signature", ""),
        row.get("disputed", ""),
        listed=True,
    )
    return FamilyRule(family, tuple(row["tokens"]), row["source"], row["reviewed_at"], row["sample"])


def _faults(raw: Mapping[str, Any]) -> Iterator[str]:
    """The faults of the file, one sentence each."""
    rows = raw.get("family")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        yield "there is no [[family]]"
        return
    if not _VERSION.fullmatch(str(raw.get("version"))):
        yield "version is written YYYY.M.n"
    for key in ("robots_only", "not_crawlers"):
        if not _strings(raw.get(key)):
            yield f"{key} must be a list of texts"
    shaped = [row for row in rows if not [*_shape(row)]]
    for row in rows:
        yield from (f"family {row.get('name', '?')!r}: {fault}" for fault in (*_shape(row),) or (*_sense(row),))
    yield from _shared("name", (row["name"] for row in shaped))
    yield from _shared("token", (token for row in shaped for token in row["tokens"]))
    names = {row["name"] for row in shaped}
    yield from (
        f"{name!r} is a token of robots.txt, not a client" for name in raw.get("robots_only", ()) if name in names
    )
    yield from (
        f"stands_for names an unknown row: {name!r}" for name in raw.get("stands_for", {}).values() if name not in names
    )


def _shape(row: Mapping[str, Any]) -> Iterator[str]:
    """Keys that are missing, unknown or of the wrong type."""
    yield from (f"{key} is missing" for key in (*_TEXT, "tokens", "reviewed_at") if key not in row)
    yield from (
        f"{key} is not a key of a family" for key in row if key not in {*_TEXT, *_OPTIONAL, "tokens", "reviewed_at"}
    )
    yield from (
        f"{key} is a text" for key in (*_TEXT, "signature", "disputed") if not isinstance(row.get(key, ""), str)
    )
    yield from (f"{key} is a list of texts" for key in _LISTS if key in row and not (row[key] and _strings(row[key])))
    if type(row.get("reviewed_at")) is not date:
        yield "reviewed_at is a date"


def _sense(row: Mapping[str, Any]) -> Iterator[str]:
    """Values that are invalid or contradict each other."""
    checks: tuple[tuple[str, Callable[[str], bool], str], ...] = (
        ("name", lambda name: bool(name.strip()) and not name.startswith("("), "is a name without brackets around it"),
        ("purpose", PURPOSES.__contains__, f"is one of {', '.join(sorted(PURPOSES))}"),
        ("class", ROW_CLASSES.__contains__, f"is one of {', '.join(ROW_CLASSES)}"),
        ("operation", OPERATIONS.__contains__, f"is one of {', '.join(sorted(OPERATIONS))}"),
        ("source", lambda url: url.startswith(("https://", "http://")), "is the address of a page"),
    )
    yield from (f"{key} {wanted}" for key, right, wanted in checks if not right(row[key]))
    if (row["class"] == "ai_user_agent") is not (row["purpose"] == "user_action"):
        yield "the class ai_user_agent and the purpose user_action go together"
    if (row["class"] == "machine_route") is not (row["purpose"] == "library"):
        yield "the class machine_route and the purpose library go together"
    for token in row["tokens"]:
        if token != token.lower() or not token.isascii() or len(token) < MIN_TOKEN_CHARS:
            yield f"token {token!r}: lower-case ASCII of at least {MIN_TOKEN_CHARS} characters"
        elif token in COMMON_TOKENS:
            yield f"token {token!r} is a word that others use; add a slash or more"


def _shared(what: str, values: Iterable[str]) -> Iterator[str]:
    yield from (f"the {what} {value!r} occurs twice" for value, times in Counter(values).items() if times > 1)


def _strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) and text for text in value)
