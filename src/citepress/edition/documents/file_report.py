"""The head of a report that is made from the publisher's files, and what its page says of it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from citepress.contract.kind import Registry
from citepress.contract.model import Model
from citepress.contract.page import Block, Item, Items, Link, Notice, Prose
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.render_context import RenderContext

ADDRESSES = frozenset({"url", "remote_url"})
"""Members that hold an address."""
Written = TypeVar("Written", bound=Model)


def files_head(
    desk: RenderContext, registry: Registry, schema: str, page: str, caveats: Mapping[str, str], known: Iterable[datetime | None]
) -> dict[str, Any]:
    """The members of ``ContentHead``. ``known`` are the moments that the entries tell of, so that ``as_of`` is never before them."""
    return {
        "schema_version": SCHEMA_VERSION,
        "schema": desk.url(schema),
        "as_of": max(moment for moment in (desk.archive.as_of, *known) if moment),
        "source": "content",
        "missing": [] if entries(desk, registry) else [{"pointer": "", "reason": absence(registry)}],
        "caveats": [{"code": code, "text": text} for code, text in caveats.items()],
        "methodology_url": desk.url(f"{page}#method"),
    }


def entries(desk: RenderContext, registry: Registry) -> tuple[Any, ...]:
    """The entries of a registry, sorted by id."""
    return desk.archive.registered.get(registry.name, ())


def absence(registry: Registry) -> str:
    """Why a registry is empty."""
    return f"There is no entry yet: the folder content/{registry.name}/ holds no files."


def empty_notice(desk: RenderContext, registry: Registry) -> tuple[Block, ...]:
    """The sentence that stands in place of entries."""
    return () if entries(desk, registry) else (Notice("empty", "", absence(registry)),)


def method(text: str, caveats: Mapping[str, str]) -> tuple[Block, ...]:
    """How the report comes about, and how to read it."""
    return Prose("method", "Method", text), Items("caveats", "How to read it", tuple(Item(one) for one in caveats.values()))


def placed(desk: RenderContext, url: str) -> str:
    """A path of the archive as an address; an address stays itself."""
    return desk.url(url) if url.startswith("/") and not url.startswith("//") else url


def absolute(desk: RenderContext, entry: Written) -> Written:
    """The same entry with every path that its author wrote in place of an address made whole."""
    changes = {name: _whole(desk, name, getattr(entry, name)) for name in type(entry).model_fields}
    return entry.model_copy(update=changes)


def _whole(desk: RenderContext, name: str, value: Any) -> Any:  # noqa: ANN401  (a member of any sort)
    if isinstance(value, str) and name in ADDRESSES:
        return placed(desk, value)
    if isinstance(value, Model):
        return absolute(desk, value)
    return [_whole(desk, name, one) for one in value] if isinstance(value, list) else value


def subject_link(desk: RenderContext, path: str) -> Link:
    """A page by its canonical path; plain text where nothing is published there."""
    entry = desk.archive.entry(path)
    return Link(entry.record.title, entry.path) if entry else Link(path, "/" if path == "home" else "")
