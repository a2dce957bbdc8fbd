"""The page on machine readers: what it shows in which order, and its method.

The same before and after observation begins.
"""

from collections.abc import Iterable
from typing import NamedTuple

from citepress.base import fast_json
from citepress.contract.page import Block, Item, Items, Link, Prose, Table
from citepress_telemetry.contract.words import (
    CAVEATS,
    CLASS_DESCRIPTIONS,
    PAGE_VIEWS,
    SCANNING,
    VERIFICATION,
    privacy,
    read_text,
    text_of,
)

MACHINE_CONSUMPTION_PATH = "/machine-consumption/"
REPORT_TITLE = "Machine consumption"


class Shown(NamedTuple):
    """A part of the page."""

    anchor: str
    title: str
    about: str
    """What it shows, in a sentence."""
    json_href: str
    """Where its numbers are."""


CHARTS = tuple(Shown(**row) for row in fast_json.loads(read_text("charts.json")))
"""The parts in the order of the page."""
REPORT_METHOD = text_of("method")


def expected(parts: Iterable[Shown]) -> Items:
    """What will be there once something is observed, in place of the parts that have nothing to show."""
    items = (
        Item(part.about, title=part.title, links=(Link(part.json_href, part.json_href),), id=part.anchor)
        for part in parts
    )
    return Items("expected", "What will be here", tuple(items))


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
