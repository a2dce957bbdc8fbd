"""Finds every date in a model that is not in the future by nature."""

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from types import UnionType
from typing import Annotated, Union, get_args, get_origin

from pydantic import BaseModel

from citepress.contract.model import MayLieAhead
from citepress.contract.refs import Location

DateRoute = tuple[str, ...]
"""Member names on the way to a date; ``*`` is every item of a list."""


def dates_of(model: BaseModel) -> Iterator[tuple[Location, datetime]]:
    """Every date of a model except those that may be in the future (``AnyMoment``), with nested models and lists."""
    held = model.__dict__
    for route in _routes(type(model)):
        if held.get(route[0]):  # most members with dates are left out
            yield from follow(model, route)


def follow(value: object, route: DateRoute, at: Location = ()) -> Iterator[tuple[Location, datetime]]:
    """The dates at the end of a route, with their locations; a member that is not there has none."""
    if not route:
        if isinstance(value, datetime):
            yield at, value
    elif route[0] == "*":
        for place, item in enumerate(value if isinstance(value, list | tuple) else ()):
            yield from follow(item, route[1:], (*at, place))
    elif isinstance(value, BaseModel):
        yield from follow(getattr(value, route[0], None), route[1:], (*at, route[0]))


@lru_cache(maxsize=256)
def _routes(model: type[BaseModel]) -> tuple[DateRoute, ...]:
    routes: list[DateRoute] = []
    for name, field in model.model_fields.items():
        if not any(isinstance(mark, MayLieAhead) for mark in field.metadata):
            routes += [(name, *rest) for rest in _inside(field.annotation)]
    return tuple(routes)


def _inside(annotation: object) -> Iterator[DateRoute]:
    """Routes below one annotation: list items carry the step ``*``, optional values no step at all."""
    origin, parts = get_origin(annotation), get_args(annotation)
    if annotation is datetime:
        yield ()
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from _routes(annotation)
    elif origin is Annotated:
        if not any(isinstance(mark, MayLieAhead) for mark in parts[1:]):
            yield from _inside(parts[0])
    elif origin in (list, tuple):
        for part in parts:
            yield from (("*", *rest) for rest in _inside(part))
    elif origin in (Union, UnionType):
        for part in parts:
            yield from _inside(part)
