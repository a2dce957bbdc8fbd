"""Worlds for operations: an archive's whole edition, its private leaves and its search index, as a worker has them."""

from pathlib import Path
from typing import Any

from citepress.archive.model import Archive
from citepress.contract.operation import Operation, models, routes
from citepress.contract.table import derive
from citepress.edition.documents import declared
from citepress.edition.edition import Edition, open_edition
from citepress.edition.forms import ALL as FORMS
from citepress.edition.render_context import RenderContext
from citepress.edition.site_edition import SiteEditions
from citepress.edition.theme import paths
from citepress.kinds import ALL as KINDS
from citepress.operations import OperationContext
from citepress.operations.registry import ALL, offered
from citepress.search.build import build
from citepress.search.state import open_index
from citepress_inbox.limits import limit
from citepress_inbox.ports import Inbox
from citepress_inbox.service import services_of
from citepress_inbox.sql_inbox import SqlInbox
from support.stores import NOW, opened_copy

CATALOGUE = declared(KINDS)


def desk(archive: Archive, operations: tuple[Operation, ...] = ALL) -> RenderContext:
    """A desk that knows every route and every type, operations included."""
    types = {item.shape: item.model for item in CATALOGUE if item.shape and item.model} | models(operations)
    return RenderContext(archive, derive(CATALOGUE, FORMS, routes(operations)), FORMS, types, paths())


def edition(archive: Archive, state: Path, operations: tuple[Operation, ...] = ALL) -> Edition:
    """The whole edition of an archive, printed under a state folder."""
    published = SiteEditions(
        CATALOGUE, lambda whole, _: desk(whole, operations), state / "edition", drafts=False
    ).publish(archive, {})
    return open_edition(published.pointer)


def operation_context(
    archive: Archive, state: Path, *, inbox: bool = True, quota: int = 30, **parts: Any
) -> OperationContext:
    """A world over an archive; its inbox, if any, is an SQLite file under the state folder."""
    build(archive, state / "index")
    queue = Inbox(SqlInbox(opened_copy(str(state / "inbox.sqlite"))), limit(quota)) if inbox else None
    services = services_of(queue) if queue else {}
    site_edition = edition(archive, state, offered(ALL, submissions=inbox))
    return OperationContext(
        **{
            "edition": site_edition,
            "index": open_index(state / "index"),
            "now": lambda: NOW,
            "services": services,
            **parts,
        }
    )
