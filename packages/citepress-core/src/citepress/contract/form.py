"""The declaration of a representation: how any page, or its citation, is written in one media type."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from citepress.base.media import Media
from citepress.contract.citation import Reference
from citepress.contract.page import Page


@dataclass(frozen=True, slots=True)
class Twin:
    """A form of a page, and where it is."""

    name: str
    """``html``, ``markdown``, ``json``, ``bibtex``: the word for it in route names and on pages."""
    title: str
    """What a link on a page calls it."""
    media: Media
    path: Callable[[str], str]
    """The path of this form for a page's canonical path or path template."""


@dataclass(frozen=True, slots=True)
class Form(Twin):
    """One way to write a page."""

    write: Callable[[Page, Any], bytes]
    """``(page, context) -> bytes``."""
    needs_data: bool = False
    """Whether only pages with ``data`` have this form."""
    default: bool = False
    """Whether this form is served at the canonical path, and by default."""


@dataclass(frozen=True, slots=True)
class CitedPage:
    """What a citation form is written from: the published page of a record or dataset."""

    citation: Reference
    links: tuple[str, ...]
    """Values of the ``Link`` fields of its page."""


@dataclass(frozen=True, slots=True)
class CitationForm(Twin):
    """One way to write the citation of a page: made when somebody asks for it, from what is stored of the page."""

    write: Callable[[CitedPage], bytes]
    relation: str = "describedby"
    """Link relation under which the page names it (RFC 8288)."""
    model: type[BaseModel] | None = None
    """The type of what is written, where that is JSON."""
    copied: bool = False
    """Whether people paste it into texts and reference managers, so that pages show it."""

    @property
    def shape(self) -> str:
        """Schema name of what is written; empty where it has none."""
        return self.model.__name__ if self.model else ""

    @property
    def imported(self) -> bool:
        """Whether reference managers import it."""
        return self.relation == "describedby"
