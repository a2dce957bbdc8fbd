"""Values that nobody changes, made by the hundred for each page."""

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value_type(declared: type[T]) -> type[T]:
    """A class as a data class with slots that compares and hashes by its members.

    To type checkers it is frozen. At run time it is not: a frozen data class sets each member by a call, which makes a
    link of five members in 0.8 µs rather than 0.2, and a page has hundreds of them. It is pickled as its members alone.
    """
    value_class = dataclass(slots=True, unsafe_hash=True)(declared)
    names = tuple(member.name for member in fields(value_class))  # type: ignore[arg-type]
    members = attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),)
    value_class.__reduce__ = lambda self: (type(self), members(self))  # type: ignore[method-assign]
    return value_class
