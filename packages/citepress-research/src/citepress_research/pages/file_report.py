"""The head of a report made from the publisher's files, and the explanations on its page."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, Field

from citepress.contract.content_head import Caveat, Missing, ReportPart
from citepress.contract.kind import Registry
from citepress.contract.model import Model, Moment
from citepress.contract.page import Block, Item, Items, Link, Notice, Prose
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.pages.owner import placed
from citepress.edition.render_context import RenderContext

ADDRESSES = frozenset({"url", "remote_url"})
"""Members that hold an address."""
Written = TypeVar("Written", bound=Model)
E = TypeVar("E", bound=BaseModel)


class ContentHead(ReportPart):
    """What a report made from content files begins with: no classifier, no network."""

    schema_version: int
    """Version of this document's schema."""
    schema_url: str = Field(alias="schema")
    """Address of this document's JSON Schema."""
    as_of: Moment
    """The newest date in the archive."""
    source: Literal["content"]
    """Made from the publisher's files."""
    missing: list[Missing]
    """Parts that could not be filled, and why."""
    caveats: list[Caveat]
    """Rules for reading the document."""
    methodology_url: str
    """Where the method is explained."""


def files_head(
    context: RenderContext,
    registry: Registry,
    schema: str,
    caveats: Mapping[str, str],
    dates: Iterable[datetime | None],
) -> dict[str, Any]:
    """The members of ``ContentHead``.

    ``dates`` are the moments in the entries, so that ``as_of`` is never before them.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "schema": context.url(schema),
        "as_of": max(moment for moment in (context.archive.as_of, *dates) if moment),
        "source": "content",
        "missing": [] if entries(context, registry) else [{"pointer": "", "reason": absence(registry)}],
        "caveats": [{"code": code, "text": text} for code, text in caveats.items()],
        "methodology_url": context.url(f"{registry.page}#method"),
    }


def entries(context: RenderContext, registry: Registry[E]) -> tuple[E, ...]:
    """The entries of a registry, sorted by id."""
    models = tuple(registry.models.values())
    registered = context.archive.registered.get(registry.name, ())
    return tuple(entry for entry in registered if isinstance(entry, models))


def absence(registry: Registry) -> str:
    """Why a registry is empty."""
    return f"There is no entry yet: the folder content/{registry.name}/ holds no files."


def empty_notice(context: RenderContext, registry: Registry) -> tuple[Block, ...]:
    """The sentence shown when there are no entries."""
    return () if entries(context, registry) else (Notice("empty", "", absence(registry)),)


def method(text: str, caveats: Mapping[str, str]) -> tuple[Block, ...]:
    """How the report comes about, and how to read it."""
    return Prose("method", "Method", text), Items(
        "caveats", "How to read it", tuple(Item(caveat) for caveat in caveats.values())
    )


def absolute(context: RenderContext, entry: Written) -> Written:
    """The same entry with every path that its author wrote in place of an address made whole."""
    changes = {name: _whole(context, name, getattr(entry, name)) for name in type(entry).model_fields}
    return entry.model_copy(update=changes)


def _whole(context: RenderContext, name: str, value: object) -> object:
    if isinstance(value, str) and name in ADDRESSES:
        return placed(context, value)
    if isinstance(value, Model):
        return absolute(context, value)
    return [_whole(context, name, part) for part in value] if isinstance(value, list) else value


def subject_link(context: RenderContext, path: str) -> Link:
    """A page by its canonical path; plain text where nothing is published there."""
    entry = context.archive.entry(path)
    return Link(entry.head.title, entry.path) if entry else Link(path, "/" if path == "home" else "")
