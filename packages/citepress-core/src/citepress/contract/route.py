"""A row of the route table: everything a guide, a contract or the door needs to know of a path."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from pydantic import BaseModel

from citepress.base.media import Media
from citepress.contract.cache import Cache
from citepress.contract.document import Parameter, Section
from citepress.contract.site import Site

_TEMPLATE = re.compile(r"\{([a-z_]+)\}")

ICONS = ("/icon.svg", "/favicon.svg", "/icon-48.png", "/favicon.ico", "/apple-touch-icon.png")
"""The publication's icons: a file of the archive replaces the theme's."""


def always(_site: Site) -> bool:
    """What no setting switches off."""
    return True


def unknown(_context: Any) -> Iterable[Mapping[str, str]]:  # noqa: ANN401  (any context)
    """The addresses of a route whose values are not known before somebody asks."""
    return ()


def never(_context: Any) -> datetime | None:  # noqa: ANN401  (any context)
    """A page without a moment of its own."""
    return None


class OpenapiParts(NamedTuple):
    """What is particular about an operation in OpenAPI."""

    parameters: Sequence[dict[str, Any]] = ()
    """Those beside its path and its query."""
    members: Mapping[str, Any] = {}
    """Further members of the operation."""
    responses: Mapping[str, Any] = {}
    """Answers by status, in place of the usual ones."""
    refusals: Sequence[str] = ()
    """Statuses of problems, in place of the usual ones."""
    schemas: Mapping[str, Any] = {}
    """Schemas of its bodies that no model has, by name."""


@dataclass(frozen=True)
class Route:
    """One method at one path template, sending one media type by default."""

    method: str
    path: str
    name: str
    media: Media
    section: Section
    summary: str
    cache: Cache
    shape: str = ""
    described_by: str = ""
    parameters: tuple[Parameter, ...] = ()
    live: bool = False
    promised: bool = True
    resource: float = 0.0
    forms: tuple[tuple[str, Media, str], ...] = ()
    """The forms of the same page: (form, media, path template); empty for a document that has one."""
    also: tuple[Media, ...] = ()
    """Further types under which ``Accept`` gets the same bytes."""
    negotiates: bool = False
    """Whether the path answers in any of its forms by ``Accept``."""
    ask: type[BaseModel] | None = None
    """The arguments of an operation, in the query of a GET or the body of a POST; ``None`` for what is published."""
    example: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Arguments as guides show them."""
    usd: str = ""
    """The price of what the route sells, in dollars, where the settings name no other."""
    changed: Callable[[Any], datetime | None] = field(default=never, compare=False)
    """``(context) -> moment`` of the newest content on the page of a path without parameters, for sitemaps."""
    answer: type[BaseModel] | None = None
    """What ``shape`` names, where no document and no operation declares it."""
    openapi: "Callable[[Any, Route, dict[str, Any], Iterable[str]], OpenapiParts] | None" = field(
        default=None, compare=False
    )
    """``(context, route, content, headers) -> parts`` of its operation in OpenAPI, where they are not those of any
    other route; ``content`` by media type, ``headers`` that every answer carries."""
    filters: type[BaseModel] | None = None
    """The query parameters that filter what is published there."""
    enabled: Callable[[Site], bool] = field(default=always, compare=False)
    """Whether a site of these settings has it switched on: guides and contracts leave out what is off."""
    contracted: bool = False
    """Whether contracts name it even where it is off, because it answers there too."""
    addresses: Callable[[Any], Iterable[Mapping[str, str]]] = field(default=unknown, compare=False)
    """``(context) -> values`` of the path's parameters, one mapping for each address that answers; empty where none is
    known."""

    @property
    def limited(self) -> bool:
        """Whether the route answers JSON by itself, and so counts against the REST limit."""
        return self.media.is_json

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A regular expression that matches the paths of this template and names its parameters."""
        patterns = {parameter.name: parameter.pattern for parameter in self.parameters}
        parts = _TEMPLATE.split(self.path)
        literal = [re.escape(part) for part in parts[::2]]
        named = [f"(?P<{name}>{patterns[name]})" for name in parts[1::2]]
        return re.compile("".join(a + b for a, b in zip(literal, [*named, ""], strict=True)))

    def fill(self, values: "dict[str, str]") -> str:
        """The path with its parameters filled in."""
        return self.path.format_map(values)
