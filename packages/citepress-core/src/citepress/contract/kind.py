"""The declaration of a record kind: one file in ``kinds/`` fills one of these."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, NamedTuple

from pydantic import BaseModel
from typing_extensions import TypeVar

from citepress.contract.page import Block, Fact, Link
from citepress.contract.record import Fields, Record
from citepress.contract.refs import Location

# A file in ``kinds/`` binds these to its own models, so that its functions are checked against its members. A list of
# kinds holds functions of different records, which no one type fits: there, a bare ``Kind`` leaves them open.
F = TypeVar("F", bound=Fields, default=Any)
R = TypeVar("R", bound=Record, default=Any)
A = TypeVar("A", default=Any)
"""The archive: a type of a higher layer, which a declaration cannot import."""
E = TypeVar("E", bound=BaseModel, default=Any)


def _nothing_derived(_fields: Fields, _published: datetime) -> Mapping[str, object]:
    return {}


def _no_standing(_record: Record) -> tuple[Fact, ...]:
    return ()


class ListEntry(NamedTuple):
    """How lists show a record of a kind whose records matter by something else than their date."""

    group: str
    """The heading below which it is listed."""
    order: tuple[Any, ...]
    """A key by which lists are sorted."""
    marks: tuple[str, ...]
    """What is said of it beside its title, with days as machines write them."""
    cells: tuple[Link, ...]
    """The same under ``Kind.columns``."""
    chance: float | None = None
    """How likely it is held to be, from 0 to 1: drawn as a bar."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[F, R, A]):
    """A kind of record: its words, its members, its part of a page."""

    name: str
    """Collection, folder and first path segment."""
    schema: str
    """Schema name of a record, as the specification writes it."""
    index: str
    """Schema name of the collection index."""
    singular: str
    plural: str
    about: str
    """One sentence on what the kind is."""
    fields: type[F]
    """The members an author adds."""
    record: type[R]
    """The published record: the shared members and these."""
    blocks: Callable[[R, A], tuple[Block, ...]]
    """``(record, archive) -> blocks``: the kind's own part of a record page, before the body."""
    deciding: tuple[str, ...] = ()
    """Members that an index item repeats, because they decide whether to read on."""
    derive: Callable[[F, datetime], Mapping[str, object]] = _nothing_derived
    """``(fields, published) -> members`` that the record publishes beyond what its author wrote."""
    listing: Callable[[Any], ListEntry] | None = None
    """``(record or item of the index) -> listing``, which reads ``id`` and deciding members alone; lists go by date and
    show the short deciding members when left out."""
    columns: tuple[str, ...] = ()
    """Names of what a listing says, where a list is a table."""
    standing: Callable[[R], tuple[Fact, ...]] = _no_standing
    """``record -> facts``: how sure or how far a record is, for the head of its page."""
    nugget: str = ""
    """The member that holds the retrieval nugget; the summary stands in where an author leaves it out."""
    excerpt: tuple[str, Location] | None = None
    """The member that holds words of a source, verbatim, and the place of the address of that source. What the newest
    copy holds of them is published as a member of the same name that ends in ``_check``."""
    page_size: int = 0
    """Full records a page at ``/<name>/page/<page>.json``; 0 for a kind without such pages."""
    promised_index: bool = True
    """Whether the specification names the collection's index."""
    promised_forms: tuple[str, ...] = ()
    """The forms of a record page that the specification names."""
    label_language: str = ""
    """Language of the words that a publisher gave it; empty where they are our own, in that of the interface."""
    takes_notes: bool = False
    """Whether the notes of a plain folder are records of this kind."""
    date_rules: tuple[Any, ...] = ()
    """Rules of its dates beside those of every record: ``citepress.archive.dates.Rule``."""
    related_dates: tuple[str, ...] = ()
    """Members that rules of other kinds read of a record that links to theirs."""
    questions: Callable[[R], Iterable[str]] | None = None
    """``record -> texts`` that it and the records linked with it answer: search is calibrated with them."""
    aside: bool = False
    """Whether its records link to many others by design, so that a link of theirs relates nothing."""
    apart: bool = False
    """Whether ``contextualize_url`` lists its records apart, as ``patterns``."""
    relations: tuple[tuple[str, str, str], ...] = ()
    """Members that name records of one collection, the collection, and the words of the relation seen from there."""
    in_header: bool = False
    """Whether the header of every page links to its list."""
    reports: tuple[Link, ...] = ()
    """Pages about the collection, to which the footer leads unless it holds nothing."""
    before: str = ""
    linked_type: str = "TechArticle"
    """The schema.org type of a record page."""

    @property
    def path(self) -> str:
        """Path of its list."""
        return f"/{self.name}/"

    def noun(self, count: int = 2) -> str:
        """What so many records are called within a sentence: a publisher's own words stay as they are written."""
        word = self.singular if count == 1 else self.plural
        return word if self.label_language else word.lower()


@dataclass(frozen=True, slots=True)
class Registry(Generic[E]):
    """A folder of YAML entries that are published together in one report, not as pages of their own."""

    name: str
    """Folder under ``content/``."""
    plural: str
    about: str
    page: str
    """Path of its report, to which nothing leads while it holds nothing."""
    models: Mapping[str, type[E]]
    """Entry models by the value of ``type:``; a registry of one model has the empty word."""
    check: Callable[[E], Iterable[tuple[Location, str]]]
    """``(entry) -> (location, message)`` faults that types cannot express."""
    in_footer: bool = False
    questions: Callable[[E], Iterable[tuple[str, Iterable[str]]]] | None = None
    """``entry -> (question, ids)``: questions that records answer: search is calibrated with them."""
