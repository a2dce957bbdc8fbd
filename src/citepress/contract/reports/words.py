"""The closed word lists of the reports and the sentences on the page and in every document."""

from collections.abc import Mapping
from typing import Literal

TrafficClass = Literal["crawler", "ai_user_agent", "human_page_view", "machine_route", "scanner_noise"]
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
SentForm = Literal["html", "markdown", "json", "text", "xml", "mcp", "other"]
VerificationState = Literal["signed", "ip_range", "fcrdns", "claimed", "contradicted"]
Operation = Literal["direct", "intermediary"]

CLASSES: Mapping[TrafficClass, str] = {
    "crawler": "A named automated client, other than a library, that fetches on its operator's own account.",
    "ai_user_agent": "A named client that fetches because a person asked an assistant or agent to.",
    "human_page_view": (
        "A browser-like page view (may include undeclared automation): a page navigation that was answered with HTML."
    ),
    "machine_route": (
        "Everything else: machine forms, client libraries, unlisted automation, and browser-like requests that are not"
        " page navigations."
    ),
    "scanner_noise": (
        "Malformed requests, scanners, and probing for what nobody links to. That a path is not published today is not"
        " enough."
    ),
}
"""The five classes in the order in which reports list them; each request falls into exactly one."""
SCANNING = (
    "A request whose identity is confirmed is never scanner noise; a malformed request line, and a client that calls"
    " itself a scanner, always are. Of the rest only a path that fits no route of this edition can be, by what was"
    " looked for and how it was answered. Refused means a status from 400 to 499 other than 408, 412 and 416. A named"
    " client, libraries apart, scans where it was refused a path of the categories dotfile, wordpress, device,"
    " traversal or injection. Any other client, a contradicted one included, scans where it asked for a traversal or"
    " injection; where it was refused a path of any category; and, within a burst, where it asked for a path of any"
    " category or was not answered with 200 to 299 or 304. A burst is one network (/24 or /48) in ten minutes of the"
    " clock that was refused five different paths, or that asked for two of the categories dotfile, wordpress, console,"
    " device, traversal and injection. To the five paths redirects count as refusals where the path is of a category,"
    " and what browsers ask for by themselves (pictures, styles, scripts, fonts, icons, manifests, robots.txt,"
    " /.well-known/) does not count."
)
"""The rule of ``scanner_noise``, so that anyone can repeat the count from a log."""
VERIFICATION: Mapping[VerificationState, str] = {
    "signed": "The request carries a valid HTTP signature with a key that its operator publishes.",
    "ip_range": "Its address is in the list of addresses that the operator publishes.",
    "fcrdns": "Its address has a name under the operator's domain, and that name leads back to the address.",
    "claimed": "Based on the User-Agent alone.",
    "contradicted": "Its address is outside a fresh list that the operator calls complete.",
}
"""How the declared identity of a request was checked."""
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
