"""Members that several operations share: a record in short, filters by kind and date."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, PlainSerializer, WithJsonSchema
from pydantic_core import core_schema

from citepress.base.text import did_you_mean
from citepress.base.timestamps import as_moment, rfc3339
from citepress.contract.model import Model, Moment
from citepress.kinds import ALL as KINDS
from citepress.search.datasets import DATASETS

KIND_NAMES = tuple(kind.name for kind in KINDS)
SEARCHED = (*KIND_NAMES, DATASETS)
"""Collections whose members a search finds."""
DATE_LENGTH = 35


class Choice:
    """Marks a text as one word out of several; the message about any other tells them and the nearest."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """The check, after that of the text."""
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, _schema: core_schema.CoreSchema, _handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The words as an enumeration."""
        return {"type": "string", "enum": list(self.names)}

    def _check(self, word: str) -> str:
        if word in self.names:
            return word
        shown = word[:60]
        hint = did_you_mean(shown, self.names)
        raise ValueError(f'"{shown}" is not one of {", ".join(self.names)}{f"; {hint}" if hint else ""}')


def _date(value: object) -> datetime:
    """A date or time as a query writes it."""
    if isinstance(value, datetime):
        return value
    try:
        if isinstance(value, str) and len(value) <= DATE_LENGTH:
            return as_moment(datetime.fromisoformat(value))
    except (ValueError, OverflowError):
        pass
    raise ValueError("is not a date: use YYYY-MM-DD or an RFC 3339 time")


DATE_FORM = (
    r"^[12]\d{3}-((0[1-9]|1[0-2])-(0[1-9]|[12]\d)|(0[13-9]|1[0-2])-30|(0[13578]|1[02])-31)"
    r"(T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?(Z|[+-][01]\d:[0-5]\d))?$"
)
Date = Annotated[
    datetime,
    BeforeValidator(_date),
    PlainSerializer(rfc3339, return_type=str),
    WithJsonSchema({"type": "string", "maxLength": DATE_LENGTH, "pattern": DATE_FORM}),
]
"""A date or RFC 3339 time, of at most 35 characters."""
Kinds = Annotated[list[Annotated[str, Choice(*KIND_NAMES)]], Field(max_length=len(KIND_NAMES))]
SearchedKinds = Annotated[list[Annotated[str, Choice(*SEARCHED)]], Field(max_length=len(SEARCHED))]
TopicSlug = Annotated[str, Field(max_length=120)]


class RecordHit(Model):
    """A record in short."""

    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    kind: str
    """Its collection."""
    title: str
    """Its headline."""
    url: str
    """The address to cite."""
    summary: str | None = None
    """One or two sentences, at most 240 characters."""
    updated_at: Moment | None = None
    """Last change."""


class RecordSection(Model):
    """A section of a text that can be requested separately."""

    id: str
    """What to pass in ``sections``."""
    title: str
    """Its heading."""
    approx_tokens: int
    """Its length: bytes divided by four."""
