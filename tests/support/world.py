"""Worlds for operations: an archive's whole edition, its private leaves and its search index, as a worker has them."""

from itertools import chain
from pathlib import Path
from typing import Any

from citepress.archive.model import Archive
from citepress.base.canonical import plain
from citepress.base.timestamps import rfc3339
from citepress.contract.operation import Operation, models, routes
from citepress.contract.table import derive
from citepress.edition.compiler import render_units, shared_inputs
from citepress.edition.documents import declared
from citepress.edition.edition import Edition, open_edition
from citepress.edition.forms import ALL as FORMS
from citepress.edition.passthrough import passthrough_leaves
from citepress.edition.private_index import lookup
from citepress.edition.publisher import publish
from citepress.edition.recovery import recovery_templates
from citepress.edition.render_context import RenderContext
from citepress.edition.search_page import search_page_templates as search_shells
from citepress.edition.theme import paths
from citepress.inbox.submissions import limit
from citepress.kinds import ALL as KINDS
from citepress.operations import ALL, Inbox, OperationContext, offered
from citepress.search import build, open_index
from citepress.stores.sql.inbox import SqlInbox
from support.stores import NOW, opened

CATALOGUE = declared(KINDS)


def desk(archive: Archive, operations: tuple[Operation, ...] = ALL) -> RenderContext:
    """A desk that knows every route and every type, operations included."""
    types = {item.shape: item.model for item in CATALOGUE if item.shape and item.model} | models(operations)
    return RenderContext(archive, derive(CATALOGUE, FORMS, routes(operations)), FORMS, types, paths())


def edition(archive: Archive, state: Path, operations: tuple[Operation, ...] = ALL) -> Edition:
    """The whole edition of an archive, printed under a state folder."""
    at = desk(archive, operations)
    facts = {**plain(archive.site), "as_of": rfc3339(archive.as_of)}
    around = shared_inputs(at, b"")
    units = chain(render_units(at, CATALOGUE, around), passthrough_leaves(at), lookup(at, around))
    return open_edition(publish(units, state / "edition", facts, {**recovery_templates(at), **search_shells(at)}, {}).pointer)


def world(archive: Archive, state: Path, *, inbox: bool = True, quota: int = 30, **parts: Any) -> OperationContext:
    """A world over an archive; its inbox, if any, is an SQLite file under the state folder."""
    build(archive, state / "index")
    queue = Inbox(SqlInbox(opened(str(state / "inbox.sqlite"))), limit(quota)) if inbox else None
    found = edition(archive, state, offered(ALL, inbox=inbox))
    return OperationContext(**{"edition": found, "index": open_index(state / "index"), "now": lambda: NOW, "inbox": queue, **parts})
