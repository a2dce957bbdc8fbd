"""The declaration of an API beside the documents: what guides, pages and catalogs say of it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from citepress.contract.page import Block, Link


@dataclass(frozen=True, slots=True)
class Api:
    """An API that an extension serves at one endpoint."""

    name: str
    """What it is called, such as ``GraphQL``."""
    endpoint: str
    """Its path."""
    description: str
    """Path of its description for machines (``service-desc``), as JSON."""
    policies: str
    """Path of its policies and limits (``service-meta``), as JSON."""
    resource: tuple[str, str, str, str]
    """Its row in the catalog of resources: identifier, media type, path and description."""
    guide: Link
    """The page that tells how to connect, as the footer names it."""
    guide_about: str
    """The same, as the front page names it."""
    summary: Callable[[Any], str]
    """``(context) -> paragraph`` of ``llms.txt``."""
    reference: Callable[[Any], Iterable[str]]
    """``(context) -> lines`` of ``llms-full.txt``."""
    overview: Callable[[Any], Iterable[Block]]
    """``(context) -> blocks`` of the page for agents."""
    call: Callable[[Any, Any, Mapping[str, Any]], str] | None = None
    """``(context, operation, arguments) -> command`` of a shell that calls an operation with a tool."""
