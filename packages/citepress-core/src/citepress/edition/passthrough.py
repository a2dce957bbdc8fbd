"""Leaves that no route declares, because the content brings their paths: static files, redirects, withdrawn records."""

import mimetypes
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from hashlib import blake2b

from citepress.archive.model import Withdrawn
from citepress.base.ids import canonical_path
from citepress.base.timestamps import day
from citepress.contract.cache import Cache
from citepress.edition.compiler import RenderUnit, UnitChanges
from citepress.edition.leaf import Leaf
from citepress.edition.render_context import RenderContext

TEXTUAL = ("text/", "image/svg+xml", "application/json", "application/xml", "application/javascript")
_types = mimetypes.MimeTypes()  # the language's own list: the machine's would make editions differ


def passthrough_leaves(context: RenderContext) -> Iterator[RenderUnit]:
    """One unit a file, redirect or withdrawn record."""
    for group in GROUPS:
        yield from _units_of(context, group)


def changed_passthrough(context: RenderContext) -> UnitChanges:
    """Those of them that an edit may have changed."""
    changed = [group for group in GROUPS if context.derivations.is_new(f"units of {group}")]
    return UnitChanges(set(changed), [unit for group in changed for unit in _units_of(context, group)])


def _units_of(context: RenderContext, group: str) -> tuple[RenderUnit, ...]:
    """The units of a group; what they read of the archive is noted."""
    leaves = GROUPS[group]
    return context.derivations.noted(f"units of {group}", lambda: tuple(_unit(group, leaf) for leaf in leaves(context)))


def _unit(group: str, leaf: Leaf) -> RenderUnit:
    state = blake2b(repr((leaf.path, leaf.type, leaf.status, leaf.location)).encode(), digest_size=16)
    state.update(bytes(leaf.body))
    return RenderUnit(state.digest(), partial(tuple, [leaf]), group, leaf.path)


def type_of(path: str) -> str:
    """The Content-Type of a file by its name; text is UTF-8."""
    guessed = _types.guess_type(path)[0] or "application/octet-stream"
    return f"{guessed}; charset=utf-8" if guessed.startswith(TEXTUAL) else guessed


def _static(context: RenderContext) -> Iterator[Leaf]:
    for path, body in sorted(context.archive.static.items()):
        kind = type_of(path)
        yield Leaf(path, path, "asset", kind, body, Cache.RECORD, (kind.partition(";")[0],))


def _redirects(context: RenderContext) -> Iterator[Leaf]:
    redirects = dict(context.archive.redirects)
    withdrawn = {record.path for record in context.archive.withdrawn}
    for path, target in context.archive.redirects.items():
        entry = context.archive.entries.get(target.strip("/"))
        page = target in withdrawn or (entry is not None and entry.path == target)
        if path.endswith("/") and page:  # a form that the archive knows nothing of follows as well
            for form in context.twins:
                redirects.setdefault(form.path(path), form.path(target))
    for path, target in sorted(redirects.items()):
        yield Leaf(path, path, "text", "text/plain; charset=utf-8", b"", Cache.RECORD, status=308, location=target)


def _withdrawn(context: RenderContext) -> Iterator[Leaf]:
    for record in context.archive.withdrawn:
        for form in context.twins:
            yield Leaf(
                form.path(record.path),
                form.path("/{collection}/{slug}/"),
                form.media.name,
                form.media.sent,
                _notice(record).encode(),
                Cache.NO_STORE,
                form.media.accepted,
                status=410,
                location=record.successor,
                canonical=canonical_path(record.path),
            )


GROUPS: Mapping[str, Callable[[RenderContext], Iterator[Leaf]]] = {
    "static": _static,
    "redirects": _redirects,
    "withdrawn": _withdrawn,
}
"""What gives the leaves of each group."""


def _notice(record: Withdrawn) -> str:
    when = f" on {day(record.date)}" if record.date else ""
    return f"{record.id} was withdrawn{when}. {record.reason}".strip()
