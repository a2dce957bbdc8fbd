"""The base of every typed document: frozen, its members described by the text below them."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from citepress.base.timestamps import as_moment, rfc3339


class Model(BaseModel):
    """A published object; the text under each member becomes its description in the JSON Schema."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True, extra="forbid")


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
"""A moment that may lie ahead of the present; a plain ``Moment`` there is a fault (``dates_of``)."""
Line = Annotated[str, Field(min_length=1, max_length=400)]
"""One line of text."""
Text = Annotated[str, Field(min_length=1, max_length=4000)]
"""A few sentences of text."""
