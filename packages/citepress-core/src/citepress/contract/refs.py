"""Marks on fields that point at something else in the archive, and the walk that finds them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, get_args

from pydantic import BaseModel

Location = tuple[str | int, ...]
"""The place of a value in a model: member names and list positions, as pydantic reports them."""


@dataclass(frozen=True, slots=True)
class Ref:
    """The string is a record id; a bare slug is allowed where the kind is fixed."""

    edge: str
    """Type of the knowledge edge: cites, supports, contradicts, related, about-topic, supersedes."""
    kind: str = ""
    """The collection that is meant, or any."""


@dataclass(frozen=True, slots=True)
class SourceMark:
    """The string is the id of one of the record's sources (or a URL or shared key that names one)."""


@dataclass(frozen=True, slots=True)
class AddressMark:
    """The string is the address of a source, published in its normal form."""


@dataclass(frozen=True, slots=True)
class PageMark:
    """The string is the path of a page of the site, or an address elsewhere."""


@dataclass(frozen=True, slots=True)
class ChartMark:
    """The string is ``datasets/<name>``, or with ``#`` and the anchor of one of its charts."""


TOPICS = "topics"
"""The kind that any record may be about: the members that all records share name it."""
RelatedRef = Annotated[str, Ref("related")]
EvidenceRef = Annotated[str, Ref("cites")]
SupersedesRef = Annotated[str, Ref("supersedes")]
TopicRef = Annotated[str, Ref("about-topic", TOPICS)]
SourceRef = Annotated[str, SourceMark()]

ReferenceMark = Ref | SourceMark | AddressMark | PageMark | ChartMark


@dataclass(frozen=True, slots=True)
class Marked:
    """One marked string in a model: its place, its text, and what it must name."""

    location: Location
    value: str
    mark: ReferenceMark


def marked(model: BaseModel) -> Iterator[Marked]:
    """Every marked string of a model, members in declared order, nested models and lists included."""
    held = model.__dict__
    for route, mark in _routes(type(model)):
        if held.get(route[0]) not in (None, []):  # most members with marks are left out
            yield from _follow(model, route, mark, ())


def replace_marked(value: object, route_values: dict[Location, str], at: Location = ()) -> object:
    """A JSON-ready copy of a value with the strings at the given locations replaced."""
    if at in route_values:
        return route_values[at]
    if isinstance(value, dict):
        return {key: replace_marked(item, route_values, (*at, key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [replace_marked(item, route_values, (*at, place)) for place, item in enumerate(value)]
    return value


@lru_cache(maxsize=256)
def _routes(model: type[BaseModel]) -> tuple[tuple[tuple[str, ...], ReferenceMark], ...]:
    routes: list[tuple[tuple[str, ...], ReferenceMark]] = []
    for name, field in model.model_fields.items():
        routes += [((name,), mark) for mark in field.metadata if isinstance(mark, ReferenceMark)]
        routes += [((name, *rest), mark) for rest, mark in _inside(field.annotation)]
    return tuple(routes)


def _inside(annotation: object) -> Iterator[tuple[tuple[str, ...], ReferenceMark]]:
    """Routes below one annotation: list items carry the step ``*``, optional values no step at all."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from _routes(annotation)
        return
    step = ("*",) if getattr(annotation, "__origin__", None) in (list, tuple) else ()
    for part in get_args(annotation):
        for mark in getattr(part, "__metadata__", ()):
            if isinstance(mark, ReferenceMark):
                yield step, mark
        for rest, mark in _inside(part):
            yield (*step, *rest), mark


def _follow(value: object, route: tuple[str, ...], mark: ReferenceMark, at: Location) -> Iterator[Marked]:
    if value is None:
        return
    if not route:
        yield Marked(at, str(value), mark)
    elif route[0] == "*":
        if isinstance(value, list | tuple):
            for place, item in enumerate(value):
                yield from _follow(item, route[1:], mark, (*at, place))
    elif isinstance(value, BaseModel):  # another branch of a union has no such member
        yield from _follow(getattr(value, route[0], None), route[1:], mark, (*at, route[0]))
