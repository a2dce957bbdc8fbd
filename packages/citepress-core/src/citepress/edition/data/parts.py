"""The numbered parts of a document that is too long for one, and the links between them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from pydantic import BaseModel

from citepress.archive.edit import ArchiveEdit
from citepress.base.canonical import json_bytes
from citepress.contract.page import Block, Pager
from citepress.edition.render_context import RenderContext

T = TypeVar("T")


def page_count(records: int, size: int) -> int:
    """Pages that so many records fill; an empty collection has one."""
    return max(1, -(-records // size))


def listed_page_count(records: int, size: int) -> int:
    """Pages of a list for people, of which the first takes what is left over."""
    return max(1, records // size)


def listed(members: Sequence[T], number: int, count: int, size: int) -> Sequence[T]:
    """What a page of a list for people shows of members that come newest first.

    Pages are cut from the oldest on, and the first takes what is left over, so that a new member changes it alone.
    """
    start = len(members) - (count - number + 1) * size
    return members[0 if number == 1 else start : start + size]


def chain(path: Callable[[int], str], number: int, count: int) -> dict[str, str]:
    """Link relations (RFC 8288) of a part among its parts, as paths; none where it is the only one."""
    parts = {"first": 1, "prev": number - 1, "next": number + 1, "last": count}
    return {rel: path(n) for rel, n in parts.items() if 1 <= n <= count} if count > 1 else {}


def held_items(
    context: RenderContext, name: str, differing: Callable[[ArchiveEdit], Iterable[str]]
) -> dict[str, bytes] | None:
    """What documents say of each item of a list, by its key, as far as earlier editions have asked for it.

    ``differing`` gives the keys of the items that an edit changed. ``None`` where no edit follows: nothing is held.
    """

    def update(held: dict[str, bytes], edit: ArchiveEdit) -> dict[str, bytes]:
        for key in differing(edit):
            held.pop(key, None)
        return held

    return context.derivations.maintained(name, dict, update) if context.derivations.lasting else None


def held_of(held: dict[str, bytes] | None, keys: Sequence[str], write: Callable[[str], bytes]) -> list[bytes]:
    """What is held of these items; what is missing is written now."""
    held = {} if held is None else held
    held |= {key: write(key) for key in keys if key not in held}
    return [held[key] for key in keys]


def with_items(frame: BaseModel, member: str, items: Iterable[bytes]) -> bytes:
    """A document around the items of a list that are JSON already; in the ``frame`` the list is empty."""
    return json_bytes(frame).replace(
        b'"%b":[]' % member.encode(), b'"%b":[%b]' % (member.encode(), b",".join(items)), 1
    )


def pager(path: Callable[[int], str], number: int, count: int) -> tuple[Block, ...]:
    """Links from a page to its neighbours and to both ends; none where it is the only one."""
    near = (path(n) if 1 <= n <= count else "" for n in (1, number - 1, number + 1, count))
    return (Pager("pages", "Pages", number, count, *near),) if count > 1 else ()


def link_values(context: RenderContext, relations: Mapping[str, str]) -> tuple[str, ...]:
    """Relations as values of ``Link`` fields."""
    return tuple(f'<{context.url(path)}>; rel="{rel}"' for rel, path in relations.items())
