"""The closed word lists of the reports and the sentences on the page and in every document."""

import re
from collections.abc import Mapping
from enum import StrEnum
from importlib.resources import files
from typing import Literal, Self

from pydantic_core.core_schema import CoreSchema, literal_schema, no_info_after_validator_function

from citepress.base import fast_json


def read_text(name: str) -> str:
    """A file of texts of this package."""
    return files(__package__).joinpath("texts", name).read_text("utf-8")


_WRAPPED = re.compile(r"(?<!\n)\n(?!\n|- )\s*")
"""The end of a line inside a paragraph or an entry."""


def text_of(name: str) -> str:
    """A text in Markdown, each paragraph and each entry of a list on one line."""
    return _WRAPPED.sub(" ", read_text(f"{name}.md").strip())


class StoredWord(StrEnum):
    """A closed list of words, each with the number under which databases store it.

    A number is never changed and never given to another word: rows of earlier versions are read by it.
    """

    stored: int
    """0, 1, 2 …: lists of counters have a place for each word."""
    about: str
    """What it means; empty where the word says it."""
    spoken: str
    """What people call many of it; empty where no page does."""

    def __new__(cls, word: str, stored: int, about: str = "", spoken: str = "") -> Self:
        """A word, its number, what it means and what people call it."""
        member = str.__new__(cls, word)
        member._value_, member.stored, member.about, member.spoken = word, stored, about, spoken
        return member

    @classmethod
    def by_number(cls) -> tuple[Self, ...]:
        """The words at the places of their numbers."""
        return tuple(sorted(cls, key=lambda word: word.stored))

    @classmethod
    def numbers(cls) -> dict[str, int]:
        """The numbers by word."""
        return {word.value: word.stored for word in cls}

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> CoreSchema:
        """The words where they are used: a list of words is no model that clients know by a name."""
        return no_info_after_validator_function(cls, literal_schema([word.value for word in cls]))


class TrafficClass(StoredWord):
    """The five classes in the order in which reports list them; each request falls into exactly one."""

    CRAWLER = (
        "crawler",
        0,
        "A named automated client, other than a library, that fetches on its operator's own account.",
        "crawlers",
    )
    AI_USER_AGENT = (
        "ai_user_agent",
        1,
        "A named client that fetches because a person asked an assistant or agent to.",
        "AI user agents",
    )
    HUMAN_PAGE_VIEW = (
        "human_page_view",
        2,
        (
            "A browser-like page view (may include undeclared automation): a page navigation that was answered with"
            " HTML and not asked for by a timer."
        ),
        "browser-like page views",
    )
    MACHINE_ROUTE = (
        "machine_route",
        3,
        (
            "Everything else: machine forms, client libraries, unlisted automation, and browser-like requests that are"
            " not page navigations."
        ),
        "machine routes",
    )
    SCANNER_NOISE = (
        "scanner_noise",
        4,
        (
            "Malformed requests, scanners, and probing for what nobody links to. That a path is not published today is"
            " not enough."
        ),
        "scanner noise",
    )


class SentForm(StoredWord):
    """Representations as sent."""

    HTML = "html", 0
    MARKDOWN = "markdown", 1
    JSON = "json", 2
    TEXT = "text", 3
    XML = "xml", 4
    MCP = "mcp", 5
    OTHER = "other", 6


class VerificationState(StoredWord):
    """How the declared identity of a request was checked."""

    SIGNED = "signed", 0, "The request carries a valid HTTP signature with a key that its operator publishes."
    IP_RANGE = "ip_range", 1, "Its address is in the list of addresses that the operator publishes."
    FCRDNS = (
        "fcrdns",
        2,
        "Its address has a name under the operator's domain, and that name leads back to the address.",
    )
    CLAIMED = "claimed", 3, "Based on the User-Agent alone."
    CONTRADICTED = "contradicted", 4, "Its address is outside a fresh list that the operator calls complete."


Purpose = Literal[
    "training",
    "search_index",
    "search",
    "user_action",
    "dataset",
    "seo",
    "ads",
    "preview",
    "feed",
    "archive",
    "research",
    "monitoring",
    "security",
    "library",
    "mixed",
    "unknown",
]
ConsumptionRoute = Literal["direct", "intermediary"]

CLASS_DESCRIPTIONS: Mapping[TrafficClass, str] = {word: word.about for word in TrafficClass}
"""What falls into each class."""
CRAWLER_PARTS: Mapping[Purpose, str] = {"monitoring": "uptime monitors", "feed": "feed readers"}
"""Purposes that are shown apart inside the class crawler, and what people call their clients: one of them alone may be
nearly the whole class, and neither reads an archive."""
SCANNING = text_of("scanning")
"""The rule of ``scanner_noise``, so that anyone can repeat the count from a log."""
PAGE_VIEWS = text_of("page_views")
"""The rule of ``human_page_view``."""
READERS = (TrafficClass.CRAWLER, TrafficClass.AI_USER_AGENT)
"""Classes whose successful requests are readership; every request in them is a named client's."""
VERIFIED = (VerificationState.SIGNED, VerificationState.IP_RANGE, VerificationState.FCRDNS)
"""The states that confirm an identity."""
VERIFICATION: Mapping[VerificationState, str] = {word: word.about for word in VerificationState}
"""What each state of verification means."""
_CAVEATS = fast_json.loads(read_text("caveats.json"))
CAVEATS: Mapping[str, str] = _CAVEATS["every_report"]
"""The rules for reading the numbers, by code."""
FURTHER_CAVEATS: Mapping[str, str] = _CAVEATS["some_reports"]
"""Those that only some reports need."""
NO_TEXT, PRODUCT_NAMES = text_of("no_text"), text_of("product_names")


def privacy(hours: int, least: int, *, keeps_unlisted: bool) -> str:
    """Retention, as the method section describes it: hours of raw events, and the smallest published count."""
    return (
        f"{PRODUCT_NAMES if keeps_unlisted else NO_TEXT} A network is known by a keyed hash of its /24 (IPv4) or /48"
        " (IPv6) prefix; a new key is made each day and the old one destroyed, so that no two days can be joined. Raw"
        f" events are kept for {hours} hours at most, hourly sums after that. Rows below {least} in lists of routes are"
        " left out and counted as suppressed_rows."
    )
