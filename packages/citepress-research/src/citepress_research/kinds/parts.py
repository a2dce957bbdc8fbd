"""Parts of record pages that several kinds of a research log share: named parts, steps, coded values, records."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from pydantic import ValidationInfo, field_validator

from citepress.archive.model import Archive
from citepress.contract.model import Model, OneLine, Text
from citepress.contract.page import INTERFACE, Block, Item, Items, Link
from citepress.kinds.parts import words


class Named(Model):
    """A named part with a sentence about it."""

    name: OneLine
    """Its name."""
    description: Text
    """What it is or does."""


class Step(Model):
    """One step of a guide or a blueprint."""

    title: OneLine
    """The step in a few words."""
    text: Text
    """How it is done."""


def not_before(name: str, other: str) -> Any:  # noqa: ANN401  (what pydantic makes of a validator)
    """A validator: the date of one member is not before that of another, which is declared above it."""

    def checked(_model: type[Model], date: datetime, info: ValidationInfo) -> datetime:
        if (first := info.data.get(other)) and date < first:
            raise ValueError(f"is before the date in {other}")
        return date

    return field_validator(name)(classmethod(checked))


def coded(value: str) -> Link:
    """A coded value as people read it, in the language of the interface."""
    return Link(words(value), language=INTERFACE)


def named(anchor: str, title: str, parts: Sequence[Named]) -> tuple[Block, ...]:
    """A list of named parts."""
    return (Items(anchor, title, tuple(Item(part.description, title=part.name) for part in parts)),) if parts else ()


def steps(guide: Sequence[Step]) -> tuple[Block, ...]:
    """Numbered steps."""
    items = tuple(Item(part.text, title=part.title) for part in guide)
    return (Items("steps", "Steps", items, ordered=True),) if items else ()


def members(archive: Archive, ids: Iterable[str]) -> tuple[Item, ...]:
    """Records as list items with their dates; an id that is not published is passed over."""
    records = (archive.entry(id_) for id_ in ids)
    return tuple(
        Item(
            entry.head.summary,
            entry.head.published_at,
            entry.path,
            entry.head.title,
            (Link(entry.kind.singular, language=INTERFACE),),
            entry.head.language,
        )
        for entry in records
        if entry
    )
