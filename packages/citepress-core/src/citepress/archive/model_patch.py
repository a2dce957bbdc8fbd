"""A model with some of its values replaced or left out, everything else shared with the original."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from citepress.contract.refs import Location

DROPPED = object()
"""In place of a value: leave it out (``None`` where it is no item of a list)."""


def apply_patch(value: Any, changes: Mapping[Location, object]) -> Any:  # noqa: ANN401  (models, lists and plain values)
    """The value with the changes at their locations made."""
    if () in changes:
        return changes[()]
    below: dict[str | int, dict[Location, object]] = defaultdict(dict)
    for (first, *rest), new in changes.items():
        below[first][tuple(rest)] = new
    if isinstance(value, BaseModel):
        new_values = {str(name): apply_patch(getattr(value, str(name)), inner) for name, inner in below.items()}
        return value.model_copy(update={name: None if new is DROPPED else new for name, new in new_values.items()})
    items = (apply_patch(item, below[place]) if place in below else item for place, item in enumerate(value))
    return [item for item in items if item is not DROPPED]


def may_be_dropped(model: BaseModel, location: Location) -> bool:
    """Whether a value can be left out: an item of a list, or a member that is not required."""
    if isinstance(location[-1], int):
        return True
    value: Any = model
    for step in location[:-1]:
        value = value[step] if isinstance(step, int) else getattr(value, step)
    return not type(value).model_fields[location[-1]].is_required()
