"""Everything that is declared, and what is derived from it: the route table, the types, the render context."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

from citepress.archive.model import Archive
from citepress.contract import operation
from citepress.contract.api import Api
from citepress.contract.document import Hosting
from citepress.contract.route import Route
from citepress.contract.table import RouteTable, derive
from citepress.edition.citations import ALL as CITATIONS
from citepress.edition.derivations import Derivations
from citepress.edition.documents import declared
from citepress.edition.forms import ALL as FORMS
from citepress.edition.render_context import RenderContext
from citepress.edition.theme import paths as theme_paths
from citepress.extension import joined
from citepress.kinds import ALL as KINDS
from citepress.operations.registry import ALL as OPERATIONS


@cache
def catalogue(*, exported: bool = False) -> tuple[Any, ...]:
    """Everything that is declared to be published; ``exported``: what files can be without a service."""
    return declared(KINDS, Hosting.FILES if exported else Hosting.SERVICE)


@cache
def table(*, exported: bool = False) -> RouteTable:
    """The route table of the service, or of a static export."""
    acting = () if exported else (*operation.routes(OPERATIONS), *joined("routes", Route))
    return derive(catalogue(exported=exported), FORMS, acting)


@cache
def models(*, exported: bool = False) -> Mapping[str, type[BaseModel]]:
    """The type behind each schema name."""
    published: dict[str, type[BaseModel]] = {
        item.shape: item.model for item in (*catalogue(exported=exported), *CITATIONS) if item.shape and item.model
    }
    if exported:
        return dict(sorted(published.items()))
    acting = {route.shape: route.answer for route in joined("routes", Route) if route.answer}
    return dict(sorted({**published, **operation.models(OPERATIONS), **acting}.items()))


def render_context(archive: Archive, derivations: Derivations | None = None) -> RenderContext:
    """What documents read while they are written; what they derive is shared by all that have the ``derivations``."""
    exported = archive.exported
    # Asked for as everybody does: the cache has another place for a default that is written out.
    routes, types = (table(exported=True), models(exported=True)) if exported else (table(), models())
    asked, apis = ((), ()) if exported else (OPERATIONS, joined("apis", Api))
    derived = derivations or Derivations()
    return RenderContext(archive, routes, FORMS, types, theme_paths(), asked, apis, derived)
