"""Front matter as typed models: one model a kind, made from what every record shares and what the kind adds."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from citepress.base.errors import CitepressError
from citepress.content.source_map import SourceFile
from citepress.content.validation_messages import ValidationIssue, validation_issues
from citepress.contract.fault import Faults
from citepress.contract.kind import Kind
from citepress.contract.model import Model, Moment, compact, constructed
from citepress.contract.record import TITLE_LENGTH, Fields, Front, Gone, Title

M = TypeVar("M", bound=BaseModel)


class Withdrawal(Model):
    """What is still read of a record that was taken back."""

    model_config = ConfigDict(extra="ignore")

    title: Annotated[str, Field(max_length=TITLE_LENGTH)] = ""
    """The headline it had."""
    date: Moment | None = None
    """First publication."""
    lastmod: Moment | None = None
    """Last change."""
    slug: Annotated[str, Field(max_length=96)] | None = None
    """By default the name of the file."""
    aliases: list[Annotated[str, Field(pattern=r"^/", max_length=512, examples=["/old/path/"])]] = Field(
        default_factory=list, max_length=50
    )
    """Former paths."""
    gone: bool | Gone
    """Why it was taken back."""


class PageFront(Model):
    """The front matter of a page under ``content/pages/``."""

    title: Title
    """The headline."""
    summary: Annotated[str, Field(max_length=300)] = ""
    """One or two sentences that make sense on their own."""
    lastmod: Moment | None = None
    """Last change."""


@lru_cache(maxsize=128)
def front_model(kind: Kind) -> type[Front]:
    """The model of a kind's front matter."""
    bases: tuple[type[Front], ...] = (kind.fields, Front)  # pydantic puts the members of the last base first
    return create_model(f"{kind.schema}Front", __base__=bases)


@lru_cache(maxsize=128)
def _field_names(kind: Kind) -> tuple[str, ...]:
    return tuple(kind.fields.model_fields)


def own_fields(kind: Kind, values: Mapping[str, object]) -> Fields:
    """The kind's own members, already validated, as its model."""
    fields: Fields = constructed(kind.fields, {name: values[name] for name in _field_names(kind) if name in values})
    return compact(fields)


class InvalidError(CitepressError):
    """Values do not fit their model; each issue names the place and what is wrong."""

    def __init__(self, issues: tuple[ValidationIssue, ...]) -> None:
        """Hold the issues until their file is known."""
        super().__init__(f"{len(issues)} values do not fit")
        self.issues = issues


def validated(model: type[M], raw: object) -> M:
    """An instance of the model. Raises ``InvalidError`` with every issue."""
    try:
        return compact(model.model_validate(raw))
    except ValidationError as error:
        raise InvalidError(validation_issues(error, model, raw)) from None


def front_of(model: type[M], raw: object, source_file: SourceFile) -> M:
    """The front matter of a file as its model. Raises ``Faults``."""
    try:
        return validated(model, raw)
    except InvalidError as error:
        raise Faults(issue.fault(source_file) for issue in error.issues) from None
