"""Front matter as typed models: one model a kind, made from what every record shares and what the kind adds."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from citepress.content.validation_messages import ValidationIssue, validation_issues
from citepress.contract.kind import Kind
from citepress.contract.model import Model, Moment
from citepress.contract.record import Fields, Front, Gone


class Withdrawal(Model):
    """What is still read of a record that was taken back."""

    model_config = ConfigDict(extra="ignore")

    title: Annotated[str, Field(max_length=160)] = ""
    """The headline it had."""
    date: Moment | None = None
    """First publication."""
    lastmod: Moment | None = None
    """Last change."""
    slug: Annotated[str, Field(max_length=96)] | None = None
    """The slug, in place of the file's name; the name may then be anything."""
    aliases: list[Annotated[str, Field(pattern=r"^/", max_length=512, examples=["/old/path/"])]] = Field(
        default_factory=list, max_length=50
    )
    """Former paths."""
    gone: bool | Gone
    """Why it was taken back."""


class PageFront(Model):
    """The front matter of a page under ``content/pages/``."""

    title: Annotated[str, Field(min_length=1, max_length=160)]
    """The headline."""
    summary: Annotated[str, Field(max_length=300)] = ""
    """One or two sentences that stand alone."""
    lastmod: Moment | None = None
    """Last change."""


@lru_cache(maxsize=128)
def front_model(kind: Kind) -> type[Front]:
    """The model of a kind's front matter."""
    bases: tuple[Any, ...] = (kind.fields, Front)  # pydantic puts the members of the last base first
    return create_model(f"{kind.schema}Front", __base__=bases)


@lru_cache(maxsize=128)
def _field_names(kind: Kind) -> tuple[str, ...]:
    return tuple(kind.fields.model_fields)


def own_fields(kind: Kind, values: Mapping[str, Any]) -> Fields:
    """The kind's own members, already validated, as its model."""
    return kind.fields.model_construct(**{name: values[name] for name in _field_names(kind) if name in values})


def validated(model: type[BaseModel], raw: object) -> Any | tuple[ValidationIssue, ...]:  # noqa: ANN401  (an instance of the model)
    """An instance of the model, or every slip."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        return validation_issues(error, model, raw)
