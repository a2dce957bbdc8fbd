"""The base of every typed document: frozen, its members described by the text below them."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache, partial
from typing import Annotated, Any, TypeVar, get_args

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo

from citepress.base.timestamps import as_local, as_moment, rfc3339
from citepress.contract.member_texts import member_text

M = TypeVar("M", bound=BaseModel)
_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n)")


def _described(schema: JsonDict, model: type[BaseModel]) -> None:
    """Describe each member by the text below it, and join the lines of each description.

    Where a docstring wraps is nothing that a reader of the schema should see.
    """
    given = schema.get("properties")
    properties = given if isinstance(given, dict) else {}
    for name, field in model.model_fields.items():
        member = next((properties[shown] for shown in _shown_names(name, field) if shown in properties), None)
        if isinstance(member, dict) and "description" not in member and (below := member_text(model, name)):
            member["description"] = below
    for part in (schema, *properties.values()):
        if isinstance(part, dict) and isinstance(text := part.get("description"), str):
            part["description"] = _LINE_BREAK.sub(" ", text)


def _shown_names(name: str, field: FieldInfo) -> Iterator[str]:
    """The names that a member may have in a schema."""
    alias = field.validation_alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    yield from (choice for choice in (name, field.serialization_alias, *choices) if isinstance(choice, str))


class Model(BaseModel):
    """A published object; the text under each member becomes its description in the JSON Schema."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra=_described,
        # Three in four of the models are of documents, tools or files that a server never reads before it answers.
        defer_build=True,
        # A published document leaves no member out, whatever its author left out, and its schema says so.
        json_schema_serialization_defaults_required=True,
    )

    def __getstate__(self) -> Any:  # noqa: ANN401  (whatever ``__setstate__`` takes)
        """What is pickled: the members and the names of those that were given, as these models have nothing else."""
        return self.__dict__, self.__pydantic_fields_set__

    def __setstate__(self, state: Any) -> None:  # noqa: ANN401
        """Take over what was pickled."""
        members, names = state
        object.__setattr__(self, "__dict__", members)
        object.__setattr__(self, "__pydantic_fields_set__", names)
        object.__setattr__(self, "__pydantic_extra__", None)
        object.__setattr__(self, "__pydantic_private__", None)


_NAME_SETS: dict[frozenset[str], set[str]] = {}


def constructed(model: type[M], members: dict[str, Any]) -> M:
    """A model of these members, which are known to fit; those that are missing are at their defaults."""
    if len(members) < len(model.__pydantic_fields__):
        return model.model_construct(**members)
    instance = model.__new__(model)
    state: Any = members, set(members)
    instance.__setstate__(state)
    return instance


def compact(model: M) -> M:
    """The model, with the sets of names that it and its members hold shared with other models.

    Pydantic keeps the names of the members that were given in a set of each object: 2 KB for a record, 9 KB with all
    that is in it. Nothing changes these sets later, because a copy gets one of its own.
    """
    names = model.__pydantic_fields_set__
    object.__setattr__(model, "__pydantic_fields_set__", _NAME_SETS.setdefault(frozenset(names), names))
    held = model.__dict__
    for name in _holding_models(type(model)):
        value = held.get(name)
        if isinstance(value, list):
            for item in value:
                if isinstance(item, BaseModel):
                    compact(item)
        elif isinstance(value, BaseModel):
            compact(value)
    return model


@lru_cache(maxsize=256)
def _holding_models(model: type[BaseModel]) -> tuple[str, ...]:
    """The members of a model that may hold models."""
    return tuple(name for name, field in model.model_fields.items() if _holds_models(field.annotation))


def _holds_models(annotation: object) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return True
    return any(map(_holds_models, get_args(annotation)))


NOT_A_DATE = "is not a date (write YYYY-MM-DD)"


def _moment(value: object, convert: Callable[[date], datetime]) -> datetime:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else value
        if type(moment) is datetime and moment.tzinfo is UTC and moment.year >= 1000:  # noqa: PLR2004  (as below)
            return moment  # as our own documents write it
        if isinstance(moment, date) and moment.year >= 1000:  # noqa: PLR2004  (four digits, as RFC 3339 writes them)
            return convert(moment)
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"{value!r} {NOT_A_DATE}")


WITH_FORMAT = WithJsonSchema({"type": "string", "format": "date-time"}, mode="serialization")
Moment = Annotated[
    datetime,
    BeforeValidator(partial(_moment, convert=as_moment)),
    PlainSerializer(rfc3339, return_type=str),
    WITH_FORMAT,
]
"""A date or RFC 3339 time as an author writes it; published as RFC 3339 in UTC."""
LocalMoment = Annotated[
    datetime,
    BeforeValidator(partial(_moment, convert=as_local)),
    PlainSerializer(rfc3339, return_type=str),
    WITH_FORMAT,
]
"""A moment that keeps the offset that its author wrote, for the day that pages show; published in UTC all the same."""


@dataclass(frozen=True, slots=True)
class MayLieAhead:
    """The moment is a plan or a deadline: unlike every other one it may come after the present."""


AnyMoment = Annotated[Moment, MayLieAhead()]
"""A moment that may be in the future; a plain ``Moment`` there is a fault (``dates_of``)."""
OneLine = Annotated[str, Field(min_length=1, max_length=400)]
"""One line of text."""
Text = Annotated[str, Field(min_length=1, max_length=4000)]
"""A few sentences of text."""
