"""Everything that is declared, and what is derived from it: the route table, the types, the render context."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

from citepress.app.mcp import mcp_offer
from citepress.archive.model import Archive
from citepress.contract import operation
from citepress.contract.mcp_offer import ROUTES as ENDPOINT_ROUTES
from citepress.contract.table import RouteTable, derive
from citepress.edition.derivations import Derivations
from citepress.edition.documents import declared
from citepress.edition.forms import ALL as FORMS
from citepress.edition.render_context import RenderContext
from citepress.edition.theme import paths as theme_paths
from citepress.kinds import ALL as KINDS
from citepress.operations import ALL as OPERATIONS
from citepress.operations.products import PRODUCTS
from citepress.operations.products import routes as products


@cache
def catalogue() -> tuple[Any, ...]:
    """Everything that is declared to be published."""
    return declared(KINDS)


@cache
def table() -> RouteTable:
    """The route table of the service."""
    return derive(catalogue(), FORMS, (*operation.routes(OPERATIONS), *products.routes(PRODUCTS), *ENDPOINT_ROUTES))


@cache
def models() -> Mapping[str, type[BaseModel]]:
    """The type behind each schema name."""
    published: dict[str, type[BaseModel]] = {
        item.shape: item.model for item in catalogue() if item.shape and item.model
    }
    return dict(sorted({**published, **operation.models(OPERATIONS), **products.models(PRODUCTS)}.items()))


def built_in(path: str) -> bool | None:
    """Whether the service answers at a path; ``None`` where that depends on the content."""
    route = table().match(path)
    return route is not None if route is None or not route.parameters else None


def render_context(archive: Archive, derivations: Derivations | None = None) -> RenderContext:
    """What documents read while they are written; what they derive is shared by all that have the ``derivations``."""
    return RenderContext(archive, table(), FORMS, models(), theme_paths(), mcp_offer(), derivations or Derivations())
