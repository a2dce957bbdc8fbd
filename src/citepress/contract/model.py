"""The base of every typed document: frozen, its members described by the text below them."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema
from pydantic.config import JsonDict

from citepress.base.timestamps import as_moment, rfc3339

_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")


def _unwrapped(schema: JsonDict) -> None:
    """Join the lines of each description: where a docstring wraps is nothing that a reader of the schema should see."""
    properties = schema.get("properties")
    parts = (schema, *(properties.values() if isinstance(properties, dict) else ()))
    for part in parts:
        if isinstance(part, dict) and isinstance(text := part.get("description"), str):
            part["description"] = _LINE_BREAK.sub(" ", text)


class Model(BaseModel):
    """A published object; the text under each member becomes its description in the JSON Schema."""

    model_config = ConfigDict(
        frozen=True,
        use_attribute_docstrings=True,
        extra="forbid",
        json_schema_extra=_unwrapped,
        # A published document leaves no member out, whatever its author left out, and its schema says so.
        json_schema_serialization_defaults_required=True,
    )


def _moment(value: object) -> object:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
        if type(moment) is datetime and moment.tzinfo is UTC and moment.year >= 1000:  # noqa: PLR2004  (as below)
            return moment  # as our own documents write it
        if isinstance(moment, date) and moment.year >= 1000:  # noqa: PLR2004  (four digits, as RFC 3339 writes them)
            return as_moment(moment)
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"{value!r} is not a date (write YYYY-MM-DD)")


WITH_FORMAT = WithJsonSchema({"type": "string", "format": "date-time"}, mode="serialization")
Moment = Annotated[datetime, BeforeValidator(_moment), PlainSerializer(rfc3339, return_type=str), WITH_FORMAT]
"""A date or RFC 3339 time as an author writes it; published as RFC 3339 in UTC."""


@dataclass(frozen=True, slots=True)
class MayLieAhead:
    """The moment is a plan or a deadline: unlike every other one it may come after the present."""


AnyMoment = Annotated[Moment, MayLieAhead()]
"""A moment that may be in the future; a plain ``Moment`` there is a fault (``dates_of``)."""
Line = Annotated[str, Field(min_length=1, max_length=400)]
"""One line of text."""
Text = Annotated[str, Field(min_length=1, max_length=4000)]
"""A few sentences of text."""
