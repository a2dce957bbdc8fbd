"""The declaration of a record kind: one file in ``kinds/`` fills one of these."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from citepress.contract.page import Block
from citepress.contract.record import Fields, Record
from citepress.contract.refs import Location


def _nothing_derived(_fields: Fields, _published: datetime) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Kind:
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
    fields: type[Fields]
    """The members an author adds."""
    record: type[Record]
    """The published record: the shared members and these."""
    blocks: Callable[[Any, Any], tuple[Block, ...]]
    """``(record, archive) -> blocks``: the kind's own part of a record page, before the body."""
    deciding: tuple[str, ...] = ()
    """Members that an index item repeats, because they decide whether to read on."""
    derive: Callable[[Any, datetime], Mapping[str, Any]] = _nothing_derived
    """``(fields, published) -> members`` that the record publishes beyond what its author wrote."""
    page_size: int = 0
    """Full records a page at ``/<name>/page/<page>.json``; 0 for a kind without such pages."""
    promised_index: bool = True
    """Whether the specification names the collection's index."""
    promised_forms: tuple[str, ...] = ()
    """The forms of a record page that the specification names."""
    linked_type: str = "TechArticle"
    """The schema.org type of a record page."""


@dataclass(frozen=True, slots=True)
class Registry:
    """A folder of YAML entries that are published together in one report, not as pages of their own."""

    name: str
    """Folder under ``content/``."""
    plural: str
    about: str
    models: Mapping[str, type[BaseModel]]
    """Entry models by the value of ``type:``; a registry of one model has the empty word."""
    check: Callable[[Any], Iterable[tuple[Location, str]]]
    """``(entry) -> (location, message)`` faults that types cannot tell."""
