"""The neutral page: the content of a page, before a form renders it."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Literal

from pydantic import BaseModel

from citepress.base.values import value_type
from citepress.contract.citation import Reference

INTERFACE = "en"
"""The language of the words that are citepress's own: navigation, labels, headings of blocks, guides (BCP 47)."""
SOURCE_ANCHOR = "source-"
"""What the anchor of a source begins with; its id follows."""


@value_type
class Link:
    """A word with a destination; an empty ``href`` is plain text."""

    text: str
    href: str = ""
    language: str = ""
    """Language tag of the text, ``und`` where it is unknown; that of the surrounding text when left out."""
    date: datetime | None = None
    """The day that the text names in the form for machines, where it names nothing else."""
    spoken: bool = False
    """Whether the text is a sentence of citepress's own, whose days and times pages write as people do."""
    chance: float | None = None
    """As of an item."""


@value_type
class Block:
    """A part of a page: an anchor and a heading in the language of the interface; both may be empty."""

    id: str
    title: str
    text_language: str = field(default="", kw_only=True)
    """Language tag of the text below the heading; the page's when left out."""


@value_type
class Prose(Block):
    """Running text in Markdown. Raw HTML in it is never passed through."""

    markdown: str


@value_type
class Nugget(Block):
    """The one to three sentences to quote."""

    text: str


@value_type
class Notice(Block):
    """A sentence that has to be seen first: a draft, an empty report, a withdrawal."""

    text: str
    href: str = ""
    before: str = ""
    """Words of the interface in front of a text that is the title of a record."""
    spoken: bool = False
    """As of a link."""


@value_type
class Fact:
    """A label and its values."""

    label: str
    values: tuple[Link, ...]


@value_type
class Facts(Block):
    """Labelled values: dates, levels, identifiers."""

    facts: tuple[Fact, ...]


@value_type
class NumberedSource:
    """A reference to an entry of the page's list of sources."""

    number: int
    """Its place in the list, counted from 1."""
    id: str
    """The id of the source."""
    title: str
    url: str


@value_type
class Item:
    """An entry of a list: its text, a date before it, and what follows it."""

    text: str
    date: datetime | None = None
    href: str = ""
    title: str = ""
    links: tuple[Link, ...] = ()
    """What belongs to the entry: records that carry it, its quotation."""
    language: str = ""
    """Language tag of its text; the block's when left out."""
    title_language: str = ""
    """Language tag of its title, where that is another than the text's."""
    id: str = ""
    """Its anchor, where it can be cited by itself."""
    passage: tuple[str, str, str] | None = None
    """Its text where that is quoted from a page which links here: what is before the words of the link, these words,
    and what is after them."""
    sources: tuple[NumberedSource, ...] = ()
    """The sources of the page that carry it."""
    spoken: bool = False
    """As of a link, of its text."""
    chance: float | None = None
    """How likely it is held to be, from 0 to 1: drawn as a bar, where a form can draw."""


@value_type
class Items(Block):
    """A list of entries; ``ordered`` where they are steps, or are referred to by their numbers."""

    items: tuple[Item, ...]
    ordered: bool = False
    timeline: bool = False
    """Drawn as a timeline beside its text, where a form can draw."""
    against: tuple[datetime, ...] = ()
    """Days of counter-evidence, drawn below the axis."""
    folded: str = ""
    """The words that unfold it, where a form can fold; it is always open when left out."""


@value_type
class Card:
    """A pointer to another page with enough to decide whether to follow it."""

    title: str
    href: str
    summary: str
    label: str = ""
    date: datetime | None = None
    marks: tuple[str, ...] = ()
    language: str = ""
    """Language tag of its title and summary; the page's when left out."""
    label_language: str = ""
    """Language tag of its label; that of the interface when left out."""
    chance: float | None = None
    """As of an item."""


@value_type
class Cards(Block):
    """Pointers to pages."""

    cards: tuple[Card, ...]
    more: Link | None = None


@value_type
class SourceItem:
    """A source as a page shows it."""

    id: str
    title: str
    url: str
    origin: Link
    publisher: str
    role: str
    published: datetime | None
    accessed: datetime | None
    addresses: tuple[str, ...] = ()
    """Its normal form and those of other addresses that lead to it: a link of the text to one of them is a reference
    to the source."""
    carries: tuple[Link, ...] = ()
    """The parts of the page that rest on it."""
    state: str = ""
    """What its last check found and when, with the day as machines write it; empty where none was made."""

    @property
    def anchor(self) -> str:
        """Its anchor on the page."""
        return SOURCE_ANCHOR + self.id


@value_type
class Sources(Block):
    """The sources of a page, numbered from 1."""

    sources: tuple[SourceItem, ...]


@value_type
class Table(Block):
    """Rows under named columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Link | tuple[Link, ...], ...], ...]
    """A cell is a link or plain text, or several of them."""
    caption: str = ""


@value_type
class Series:
    """One of the quantities of a chart."""

    name: str
    values: tuple[float | None, ...]
    """One for each label of the chart; ``None`` where nothing was observed, which is not zero."""


@value_type
class Chart(Block):
    """Numbers as a picture, where a form can draw, and always as a sentence and a table.

    ``areas`` has a panel over time for each series, ``line`` all series in one panel, ``bars`` a bar of all series for
    each label, ``dots`` a dot for each, ``lines`` a small line for each series, ``grid`` a row for each series and a
    column for each label; all panels and lines have one scale. ``calibration`` has four series of shares: what was
    said, what happened, and the ends of its interval.
    """

    kind: Literal["areas", "bars", "dots", "line", "lines", "grid", "calibration"]
    summary: str
    """The content of the picture, in a sentence or two."""
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    table: Table
    """The same numbers; its title names it among the tables of the page."""
    json_href: str = ""
    """Where the numbers are in machine-readable form."""
    marks: tuple[tuple[int, str], ...] = ()
    """(place of a label, what changed there): where numbers before and after are not quite alike."""
    whole: float = 0
    """The value of a full bar of ``bars``; the largest bar where it is 0."""
    unit: str = ""
    """What follows each number of ``bars`` of which the whole is known; their ends and middle are then marked."""
    partial: tuple[int, ...] = ()
    """Places of labels (``areas``, ``lines``) whose numbers are known to be incomplete: they are shaded."""
    source: Link | None = None
    """Where the numbers are from."""


@value_type
class Code(Block):
    """Text to copy as it is."""

    text: str
    language: str = "text"


@value_type
class Cite(Block):
    """How to cite the page, ready to copy or to import."""

    citation: Reference
    path: str
    """Canonical path of the page, of which the citation forms are twins."""


@value_type
class SearchField(Block):
    """A field for words to search for."""

    path: str
    """Path of the page that answers."""


@value_type
class Facets(Block):
    """Groups of links that filter a list."""

    groups: tuple[Fact, ...]


@value_type
class Pager(Block):
    """The neighbours of this page of a list; paths, empty at an end."""

    page: int
    count: int
    first: str
    previous: str
    next: str
    last: str


@value_type
class Siblings(Block):
    """The pages before and after this one in their collection, by date or in a reading order."""

    newer: Link | None
    older: Link | None
    ordered: bool = False
    """Whether they are the previous and the next one of an order."""


@value_type
class Page:
    """The whole content of a page; a form adds only its own syntax."""

    path: str
    """Canonical path, ``/`` at both ends."""
    title: str
    description: str
    blocks: tuple[Block, ...]
    label: str = ""
    """The type of page, in the reader's words."""
    template: str = "page"
    """The theme's template for it."""
    published: datetime | None = None
    updated: datetime | None = None
    language: str = INTERFACE
    """Language tag of its title, its description and its blocks."""
    title_language: str = ""
    """Language tag of its title, where that is another."""
    translations: tuple[Link, ...] = ()
    """The page in each of its languages, itself among them, under their own names; empty where there is no other."""
    label_language: str = ""
    """Language tag of its label; that of the interface when left out."""
    license: str = ""
    crumbs: tuple[Link, ...] = ()
    """The way here from the root, without the page itself."""
    topics: tuple[Link, ...] = ()
    authors: tuple[Link, ...] = ()
    dates: tuple[Link, ...] = ()
    """Its dates as one sentence, to be shown in place of ``published`` and ``updated``: parts that follow each other
    without a space."""
    standing: tuple[Fact, ...] = ()
    """How sure it is, what it rests on, which version it is: what readers want to know first."""
    data: BaseModel | None = None
    """The same page as a typed document; forms for machines write it, and a page without it has no JSON twin."""
    linked_data: tuple[Mapping[str, object], ...] = ()
    """schema.org objects, for forms that can embed them."""
    feeds: tuple[Link, ...] = ()
    """Feeds that follow this page."""
    indexed: bool = True
    """Whether sitemaps list it."""
    opens_with_description: bool = False
    """Whether its text begins with the words of the description, which are then not shown above it again."""
    previous: str = ""
    next: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    """Further link relations and the canonical paths that they lead to; each form leads to its own."""
    data_links: Mapping[str, str] = field(default_factory=dict)
    """Those of the form for machines, whole paths: the same chain as in the document's ``next`` and ``prev``."""
    timemap: str = ""
    """Path of the TimeMap of its revisions, where its address answers by ``Accept-Datetime``."""
    canonical: str = ""
    """The path of the page that this one repeats; its own when left out."""
    citation: Reference | None = None
    """How the page is cited, where it is a record or dataset."""
    query: str = ""
    """The query that it answers, which its forms share; a page under a query is none to index."""
    image: str = ""
    """Path of an image of this site that stands for the page where it is shared."""
    card: bool = False
    """Whether a drawn picture stands for it instead, where an extension draws one (``contract/picture.py``)."""
    me: tuple[str, ...] = ()
    """Addresses elsewhere of whoever the page is about (``rel="me"``)."""
    parts: tuple[tuple[str, str], ...] = ()
    """(path, media type) of files that the page leads to, such as the rows of a dataset."""

    @property
    def dek(self) -> str:
        """What is shown below the title."""
        return "" if self.opens_with_description or self.description == self.title else self.description

    @property
    def changed(self) -> datetime | None:
        """The last change of its content by its author: its ``lastmod`` in sitemaps."""
        return self.updated or self.published
