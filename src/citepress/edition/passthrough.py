"""Leaves that no route declares, because the content brings their paths: static files, redirects, withdrawn records."""

import mimetypes
from collections.abc import Iterator
from functools import partial
from hashlib import blake2b

from citepress.archive.model import Withdrawn
from citepress.base.ids import canonical_path
from citepress.base.timestamps import day
from citepress.contract.cache import Cache
from citepress.edition.compiler import RenderUnit
from citepress.edition.leaf import Leaf
from citepress.edition.render_context import RenderContext

TEXTUAL = ("text/", "image/svg+xml", "application/json", "application/xml", "application/javascript")
_types = mimetypes.MimeTypes()  # the language's own list: the machine's would make editions differ


def passthrough_leaves(desk: RenderContext) -> Iterator[RenderUnit]:
    """One unit a file, redirect or withdrawn record."""
    for leaf in (*_static(desk), *_redirects(desk), *_withdrawn(desk)):
        state = blake2b(repr((leaf.path, leaf.type, leaf.status, leaf.location, leaf.modified)).encode(), digest_size=16)
        state.update(leaf.body)
        yield RenderUnit(state.digest(), partial(tuple, [leaf]))


def type_of(path: str) -> str:
    """The Content-Type of a file by its name; text is UTF-8."""
    guessed = _types.guess_type(path)[0] or "application/octet-stream"
    return f"{guessed}; charset=utf-8" if guessed.startswith(TEXTUAL) else guessed


def _static(desk: RenderContext) -> Iterator[Leaf]:
    for path, body in sorted(desk.archive.static.items()):
        kind = type_of(path)
        yield Leaf(path, path, "asset", kind, body, 0, Cache.RECORD, (kind.partition(";")[0],))


def _redirects(desk: RenderContext) -> Iterator[Leaf]:
    for path, target in sorted(desk.archive.redirects.items()):
        yield Leaf(path, path, "text", "text/plain; charset=utf-8", b"", 0, Cache.RECORD, status=308, location=target)


def _withdrawn(desk: RenderContext) -> Iterator[Leaf]:
    for record in desk.archive.withdrawn:
        for form in desk.forms:
            yield Leaf(
                form.path(record.path), form.path("/{collection}/{slug}/"), form.media.name, form.media.sent, _notice(record).encode(),
                int(record.date.timestamp()) if record.date else 0, Cache.NO_STORE, form.media.accepted, status=410,
                location=record.successor, canonical=canonical_path(record.path),
            )  # fmt: skip


def _notice(record: Withdrawn) -> str:
    when = f" on {day(record.date)}" if record.date else ""
    return f"{record.id} was withdrawn{when}. {record.reason}".strip()
