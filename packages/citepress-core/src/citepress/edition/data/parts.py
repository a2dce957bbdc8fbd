"""The numbered parts of a document that is too long for one, and the links between them."""

from collections.abc import Callable, Iterable, Mapping

from pydantic import BaseModel

from citepress.base.canonical import json_bytes
from citepress.contract.page import Block, Pager
from citepress.edition.render_context import RenderContext


def page_count(records: int, size: int) -> int:
    """Pages that so many records fill; an empty collection has one."""
    return max(1, -(-records // size))


def chain(path: Callable[[int], str], number: int, count: int) -> dict[str, str]:
    """Link relations (RFC 8288) of a part among its parts, as paths; none where it is the only one."""
    parts = {"first": 1, "prev": number - 1, "next": number + 1, "last": count}
    return {rel: path(n) for rel, n in parts.items() if 1 <= n <= count} if count > 1 else {}


def joined_items(items: Iterable[BaseModel]) -> bytes:
    """Items of a list as they stand in a document."""
    return b",".join([json_bytes(item)[:-1] for item in items])


def with_items(frame: BaseModel, member: str, items: bytes) -> bytes:
    """A document around the items of a list that are bytes already; in the ``frame`` the list is empty."""
    return json_bytes(frame).replace(b'"%b":[]' % member.encode(), b'"%b":[%b]' % (member.encode(), items), 1)


def pager(path: Callable[[int], str], number: int, count: int) -> tuple[Block, ...]:
    """Links from a page to its neighbours and to both ends; none where it is the only one."""
    near = (path(n) if 1 <= n <= count else "" for n in (1, number - 1, number + 1, count))
    return (Pager("pages", "Pages", number, count, *near),) if count > 1 else ()


def link_values(context: RenderContext, relations: Mapping[str, str]) -> tuple[str, ...]:
    """Relations as values of ``Link`` fields."""
    return tuple(f'<{context.url(path)}>; rel="{rel}"' for rel, path in relations.items())
