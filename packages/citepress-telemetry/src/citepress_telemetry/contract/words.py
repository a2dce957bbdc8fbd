"""The closed word lists of the reports and the sentences on the page and in every document."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, Self

from pydantic_core.core_schema import CoreSchema, literal_schema, no_info_after_validator_function


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
SCANNING = (
    "A request whose identity is confirmed is never scanner noise; a malformed request line, and a client that"
    " calls itself a scanner, always are. Of the rest a request scans, whatever its path and its answer, where path"
    " or query is of the categories traversal, injection or redirect (the table below has the patterns): nobody asks"
    " for these in good faith. A parameter that takes any text on its route, such as query of the search or url of"
    " the contextualizer, is not looked at: people search for attacks. On a path with a route of this edition"
    " nothing else is scanner noise but the category address, the address of a site in a parameter that the route"
    " does not have, from a client that is not a named one or is a library. A path without a route is judged by what"
    " was looked for and how it was answered. Refused means a status from 400 to 499 other than 408, 412 and 416. A"
    " named client, libraries apart, scans there where it was refused a path of the categories dotfile, wordpress or"
    " device. Any other client, a contradicted one included, scans where it was refused a path of any category; and,"
    " within a burst, where it asked for a path of any category or was not answered with 200 to 299 or 304. A burst"
    " is one network (/24 or /48) in ten minutes of the clock that was refused five different paths without a route,"
    " or that asked for two of the categories dotfile, wordpress, console, device, traversal, injection and"
    " redirect, on any path. To the five paths redirects count as refusals where the path is of a category, and what"
    " browsers ask for by themselves (pictures, styles, scripts, fonts, icons, manifests, robots.txt, /.well-known/)"
    " does not count."
)
"""The rule of ``scanner_noise``, so that anyone can repeat the count from a log."""
PAGE_VIEWS = (
    "A browser-like GET that was answered with HTML and the status 200 or 304 is a page view where the request says"
    " that it is a navigation (Sec-Fetch-Mode: navigate, or an Accept with text/html); imported logs do not say it."
    " It is none where a path without a route is of a category of probes other than script; where a script in a page"
    " asks for it, known by paths and parameters such as admin-ajax.php, /wp-json/, /graphql and _=1700000000000;"
    " and where a timer does: within an hour one network asked for one path four times or more, over five minutes or"
    " more, and three quarters of the gaps are as long as the gap before, give or take two seconds and 5 %. Such"
    " requests are machine_route. In imported logs the pictures, fonts, scripts and styles that browsers were sent"
    " from paths without a route are in no class: they are counted apart, as the files of this archive's pages are."
)
"""The rule of ``human_page_view``."""
READERS = (TrafficClass.CRAWLER, TrafficClass.AI_USER_AGENT)
"""Classes whose successful requests are readership; every request in them is a named client's."""
VERIFIED = (VerificationState.SIGNED, VerificationState.IP_RANGE, VerificationState.FCRDNS)
"""The states that confirm an identity."""
VERIFICATION: Mapping[VerificationState, str] = {word: word.about for word in VerificationState}
"""What each state of verification means."""
CAVEATS: Mapping[str, str] = {
    "declared_not_verified": (
        "Declared is not verified: identity comes from a User-Agent, and every family says how many of its requests"
        " were verified, and how."
    ),
    "browser_like_not_human": (
        "Browser-like is not human: human_page_view counts browser-like page views, which may include undeclared"
        " automation."
    ),
    "fetched_not_read": (
        "Fetched is not read, cited or trained on: a request shows that bytes were sent, and not what became of them."
    ),
    "missing_not_zero": (
        "Missing is not zero: time that was not observed gives null counts, and observed_hours is given next"
        " to expected_hours."
    ),
    "nothing_sampled": (
        "Nothing is sampled; what was dropped, late, unresolved or our own traffic is counted and shown."
    ),
    "never_reclassified": (
        "History is never silently reclassified: each point keeps the classifier version of its day, and a change is"
        " annotated."
    ),
    "imported_is_claimed": "Imported logs are claimed, never verified and never contradicted.",
    "small_denominators": "A ratio shows its numerator and denominator, and is null where the denominator is under 20.",
    "hour_aligned": "Windows are in UTC and aligned to the hour; nothing finer than an hour is published.",
    "vantage_origin": "Counted at the origin: reads answered by a cache in front of it are not counted here.",
    "robots_tokens": (
        "A robots.txt token that is not a User-Agent (such as Google-Extended) is never shown as a visitor."
    ),
}
"""The rules for reading the numbers, by code."""


NO_TEXT = "No client address, User-Agent text, query string, cookie or payment field is stored."
PRODUCT_NAMES = (
    "No client address, query string, cookie or payment field is kept. Of User-Agents that no list names, the publisher"
    " keeps the names and short version numbers of products that call themselves programs, such as ExampleBot/1.0, for"
    " thirty days, unpublished; of all others it keeps nothing."
)


def privacy(hours: int, least: int, *, keeps_unlisted: bool) -> str:
    """Retention, as the method section describes it: hours of raw events, and the smallest published count."""
    return (
        f"{PRODUCT_NAMES if keeps_unlisted else NO_TEXT} A network is known by a keyed hash of its /24 (IPv4) or /48"
        " (IPv6) prefix; a new key is made each day and the old one destroyed, so that no two days can be joined. Raw"
        f" events are kept for {hours} hours at most, hourly sums after that. Rows below {least} in lists of routes are"
        " left out and counted as suppressed_rows."
    )
