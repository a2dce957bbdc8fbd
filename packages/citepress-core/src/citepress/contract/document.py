"""The declaration of what is published at a path: a document, or a family of pages that every form writes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, Self, TypeVar

from pydantic import BaseModel

from citepress.base.media import Media
from citepress.base.values import value_type
from citepress.contract.cache import Cache
from citepress.contract.page import Page
from citepress.contract.site import Site

Context = TypeVar("Context")
FOREIGN_SHAPES = frozenset({"JsonSchemaDocument", "McpServerCard"})
"""Shapes of documents whose form others define."""


def path_mistake(path: str) -> str:
    """What is wrong with the path template of a declaration; empty where nothing is."""
    return "" if path.startswith("/") else f"its path {path!r} does not begin with a slash: write {'/' + path!r}"


class Section(Enum):
    """The headings under which route guides list a route (specification, "Endpoints")."""

    CONTRACTS = "Contracts and guides", "What the service offers and how to use it."
    DATASETS = "Presence and datasets", "Presence of the archive elsewhere, and its versioned datasets."
    OWNER = "Owner profile", "Who publishes the archive."
    TELEMETRY = "Telemetry", "What machines read here."
    DISCOVERY = "Discovery and evidence", "Feeds, sitemaps, sources and the graph of the archive."
    RECORDS = "Collections and records", "The records in every form."
    ACTIONS = "Free agent actions and inbox", "Questions and moderated proposals; nothing is published by a route."
    PAYMENTS = "Paid compute products", "Compute that is paid for by request."
    MCP = "MCP endpoint", "The Model Context Protocol endpoint."
    EXTRAS = "Further aids", "Routes beyond the contract; they may change."

    about: str

    def __new__(cls, heading: str, about: str) -> Self:
        """A section, whose value is its heading."""
        section = object.__new__(cls)
        section._value_, section.about = heading, about
        return section


class Hosting(Enum):
    """Who answers for an archive."""

    SERVICE = "service"
    """A running server."""
    FILES = "files"
    """A host of the files of a static export."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A member of a path template."""

    name: str
    about: str
    pattern: str = r"[a-z0-9]+(?:-[a-z0-9]+)*"
    """Regular expression of the values; a slash in it makes the parameter span segments."""
    example: str = ""
    number: bool = False
    """Whether the values are whole numbers of at least 1."""


SLUG = Parameter("slug", "A record slug taken from the collection index.")
ORIGIN_PARAMETER = Parameter(
    "origin", "A source origin id from /source-entities.json.", r"[a-z0-9]+(?:[.-]+[a-z0-9]+)*"
)
PAGE_PARAMETER = Parameter(
    "page", "A page number of at least 1, taken from the collection's pagination.", r"[1-9][0-9]{0,6}", "1", number=True
)
DATASET = Parameter("dataset", "The dataset's folder name.")
VERSION_PARAMETER = Parameter(
    "version", "A version of the dataset, as its landing page lists them.", r"v[1-9][0-9]{0,3}", "v1"
)
CANONICAL_PATH = Parameter(
    "canonical_path",
    "A slash-delimited canonical path without leading or trailing slash; home is the site root.",
    r"[a-z0-9]+(?:[/.-]+[a-z0-9]+)*",
    "home",
)


@value_type
class Output:
    """One rendered document: the values of its path's parameters and what is sent."""

    body: bytes | BaseModel | Callable[[], bytes]
    """What is sent; a family of very many documents has it made only when it is written."""
    values: Mapping[str, str] = field(default_factory=dict)
    links: tuple[str, ...] = ()
    """Values of further ``Link`` fields."""
    media: Media | None = None
    """The type sent, where it differs from file to file (assets)."""
    inputs: object = None
    """The inputs of a body that is rendered later, for comparison; goes with a callable body."""
    digested: bool = False
    """Whether answers carry ``Repr-Digest`` (RFC 9530)."""


@dataclass(frozen=True)  # no slots: Python 3.11 cannot make Document[Context](...) of a frozen class with them
class Document(Generic[Context]):
    """Bytes of one media type at one path template."""

    name: str
    """Operation id in OpenAPI and key of the route."""
    path: str
    media: Media
    section: Section
    summary: str
    make: Callable[[Context], Iterable[Output]]
    """``(context) -> outputs``; what is compressed and written again is decided by their bytes."""
    shape: str = ""
    """Schema name of the body, when it has one."""
    model: type[BaseModel] | None = None
    """The type behind the schema name; ``None`` where the body is not JSON of this contract (OpenAPI, feeds)."""
    parameters: tuple[Parameter, ...] = ()
    cache: Cache = Cache.RECORD
    live: bool = False
    """Whether a report rendered while serving may replace it."""
    described_by: str = ""
    """Path of the JSON Schema, when it is not ``/schemas/<shape>.json``."""
    promised: bool = True
    """Whether the specification names the route; an extra is free to change."""
    resource: float = 0.0
    """Priority among the resources that an API lists; 0 keeps it off the list."""
    also: tuple[Media, ...] = ()
    """Further types under which the same bytes are sent to a client whose Accept field likes them better."""
    filters: type[BaseModel] | None = None
    """The query parameters that filter what it lists."""
    only: Hosting | None = None
    """Who publishes it, where the other cannot. A static export leaves out whatever is ``live``, too."""
    enabled: Callable[[Site], bool] | None = None
    """Whether a site of these settings publishes it; every site does when left out."""
    touched: Callable[[Context], Iterable[tuple[Mapping[str, str], Output | None]]] | None = None
    """As for pages, by the values of the path's parameters."""
    addresses: Callable[[Context], Iterable[Mapping[str, str]]] | None = None
    """As for pages."""
    alone: bool = False
    """Whether its outputs depend on their inputs alone, so that other settings and other code leave them as they
    are."""
    before: str = ""

    def mistake(self) -> str:
        """What is wrong with the declaration; empty where nothing is."""
        # A shape that several packages use has its own schema, which no model of ours describes.
        if self.shape and self.model is None and not self.described_by and self.shape not in FOREIGN_SHAPES:
            return f"it has the shape {self.shape!r} and no model: give both, or neither"
        return path_mistake(self.path)


@value_type
class Draft:
    """A page to be written by every form that fits it."""

    page: Callable[[], Page]
    """Builds the neutral page; called once to see whether it changed, and again when it is written."""
    inputs: object = None
    """The inputs of the page, for comparison, or what gives them; the page itself when left out."""
    key: str = ""
    """Its path, where that is known before it is built; in a family that tells which pages an edit touched it is."""


@dataclass(frozen=True)  # no slots: Python 3.11 cannot make Document[Context](...) of a frozen class with them
class Pages(Generic[Context]):
    """Pages at one path template, written by every form that fits them."""

    name: str
    path: str
    """Canonical path template, ``/`` at both ends."""
    section: Section
    summary: str
    make: Callable[[Context], Iterable[Draft]]
    shape: str = ""
    """Schema name of the pages' data; empty where the pages have none, and so no JSON twin."""
    model: type[BaseModel] | None = None
    parameters: tuple[Parameter, ...] = ()
    cache: Cache = Cache.RECORD
    live: bool = False
    described_by: str = ""
    promised: tuple[str, ...] = ()
    """Names of the forms that the specification promises for these pages."""
    touched: Callable[[Context], Iterable[tuple[str, Draft | None]]] | None = None
    """``(context) -> (path, draft)`` of the pages that an edit may have changed, ``None`` for one that is gone; where
    it is left out, all of them are made again as soon as anything that they read has changed."""
    resource: float = 0.0
    only: Hosting | None = None
    filters: type[BaseModel] | None = None
    """The query parameters that filter what its pages list; contracts name them at the machine form."""
    cited: bool = False
    """Whether its pages have a citation, and with it every citation form."""
    addresses: Callable[[Context], Iterable[Mapping[str, str]]] | None = None
    """``(context) -> values`` of the path's parameters for each page, where they are not stored but made when somebody
    asks for one; ``make`` then gives none."""
    before: str = ""

    def mistake(self) -> str:
        """What is wrong with the declaration; empty where nothing is."""
        if self.shape and self.model is None:
            return f"it has the shape {self.shape!r} and no model: give both, or neither"
        return path_mistake(self.path)


Declared = Document[Any] | Pages[Any]


def nothing_stored(_context: object) -> tuple[()]:
    """The outputs of a family that is made when somebody asks for it."""
    return ()
