"""The page on machine readers: what it shows in which order, and its method.

The same before and after observation begins.
"""

from typing import NamedTuple

from citepress.contract.page import Block, Item, Items, Link, Prose, Table
from citepress_telemetry.contract import consumption, journeys, traffic
from citepress_telemetry.contract.words import CAVEATS, CLASS_DESCRIPTIONS, PAGE_VIEWS, SCANNING, VERIFICATION, privacy

PATH = "/machine-consumption/"
REPORT_TITLE = "Machine consumption"


class Shown(NamedTuple):
    """A part of the page."""

    anchor: str
    title: str
    about: str
    """What it shows, in a sentence."""
    json_href: str
    """Where its numbers are."""

    def unseen(self, why: str) -> str:
        """The sentence in place of its numbers, in Markdown."""
        return f"{self.about} {why}; the numbers will stand in [{self.json_href}]({self.json_href})."


CHARTS = (
    Shown(
        "daily",
        "Requests by class, day by day",
        "Ninety days of the five classes, with a mark wherever the classifier changed.",
        traffic.HISTORY_PATH,
    ),
    Shown(
        "cited",
        "From fetched to cited",
        "What machine readers fetched, which browser-like page views there were, and which uses were reported back.",
        consumption.PATH,
    ),
    Shown(
        "purposes",
        "What they fetch for",
        "Requests of named clients by the purpose that their operators state.",
        consumption.PATH,
    ),
    Shown(
        "operators",
        "Operators",
        "What each operator fetched, how much of it was verified, and the page views that came back.",
        consumption.PATH,
    ),
    Shown("representations", "Forms", "Which of HTML, Markdown and JSON each family requests.", journeys.PATH),
    Shown(
        "journeys",
        "Ways through the archive",
        "Where sessions begin, the steps between routes, and where sessions end.",
        journeys.PATH,
    ),
    Shown("depth", "Depth of sessions", "How many requests a session makes.", journeys.PATH),
    Shown(
        "coverage",
        "Coverage of the archive",
        "How much of the archive each family fetched, and the pages that none fetched.",
        consumption.PATH,
    ),
    Shown(
        "first-read",
        "Time to the first fetch",
        "How long a new page waits for its first named client.",
        consumption.PATH,
    ),
    Shown("statuses", "Answers to bots", "The HTTP statuses that named clients were answered with.", journeys.PATH),
    Shown(
        "gateway",
        "Beyond reading",
        "Use of the MCP endpoint, the free actions, the inbox and the paid products.",
        consumption.PATH,
    ),
)
"""The parts in the order of the page."""
REPORT_METHOD = (
    "The service counts its own requests, once, at the origin. Each request is sorted into one of five classes by the"
    " first rule that fits, so that the classes add up to the total. A family is known by its User-Agent, and its"
    " purpose is the one that its operator states on its own pages; without such a page the purpose is unknown. Hours"
    " are closed shortly after their end and are not computed again: a better classifier counts from its day on, and"
    " the version that counted stands in every document. Whoever runs a client that is named or classed wrongly here"
    " can ask for a change at the contact on the [owner's page](/owner-profile/)."
)


def about(title: str) -> str:
    """What the page is, for the archive of this title."""
    return f"What crawlers and agents fetch from {title}, by their own declaration."


def method(hours: int, least: int, *, keeps_unlisted: bool) -> tuple[Block, ...]:
    """How it is counted, from the words that every document carries.

    Raw events live so many hours, rows under ``least`` are left out.
    """
    return (
        Prose("method", "Method", REPORT_METHOD),
        Table(
            "classes",
            "The five classes",
            ("Class", "What falls into it"),
            tuple((Link(name), Link(about)) for name, about in CLASS_DESCRIPTIONS.items()),
        ),
        Prose("page-view-rule", "What counts as a page view", PAGE_VIEWS),
        Prose("scanner-rule", "What counts as scanner noise", SCANNING),
        Table(
            "verification",
            "How identity is checked",
            ("State", "What it means"),
            tuple((Link(n), Link(about)) for n, about in VERIFICATION.items()),
        ),
        Prose("privacy", "Privacy", privacy(hours, least, keeps_unlisted=keeps_unlisted)),
        Items("caveats", "How to read the numbers", tuple(Item(text) for text in CAVEATS.values())),
    )
