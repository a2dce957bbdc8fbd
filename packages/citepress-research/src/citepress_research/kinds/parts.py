"""Parts of record pages that several kinds of a research log share: named parts, steps, coded values, records."""

from collections.abc import Iterable, Sequence

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


def coded(value: str) -> Link:
    """A coded value as people read it, in the language of the interface."""
    return Link(words(value), language=INTERFACE)


def named(anchor: str, title: str, parts: Sequence[Named]) -> tuple[Block, ...]:
    """A list of named parts."""
    return (Items(anchor, title, tuple(Item(part.description, title=part.name) for part in parts)),) if parts else ()


def steps(guide: Sequence[Step]) -> tuple[Block, ...]:
    """Numbered steps."""
    return (
        (Items("steps", "Steps", tuple(Item(part.text, title=part.title) for part in guide), ordered=True),)
        if guide
        else ()
    )


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
