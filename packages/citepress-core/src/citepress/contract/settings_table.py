"""Tables of ``site.toml`` that extensions add, and the models of all settings that they become a part of."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeVar, cast

from pydantic import Field, ValidationError, create_model

from citepress.contract.model import Model
from citepress.extension import joined

Half = Literal["published", "private"]
M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class SettingsTable:
    """A table of ``site.toml``: a new one, or further members of one that the core has, such as ``[theme]``.

    ``settings_of(site, MODEL)`` gives it back, typed.
    """

    name: str
    published: type[Model] | None = None
    """The members that public documents may show."""
    private: type[Model] | None = None
    """The members that only the service reads."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables, by their names after ``CITEPRESS_``, and the members of ``[limits]`` that they override.
    """

    def halves(self) -> Iterator[tuple[Half, type[Model]]]:
        """Its models."""
        if self.published:
            yield "published", self.published
        if self.private:
            yield "private", self.private


def _claims(table: SettingsTable) -> Iterator[str]:
    return (f"[{table.name}] {member}" for _, model in table.halves() for member in model.model_fields)


@cache
def tables() -> tuple[SettingsTable, ...]:
    """The tables of all extensions. Raises ``ExtensionError`` where two have one member of one table."""
    return joined("tables", SettingsTable, claims=_claims)


def extended(base: type[M], *halves: Half) -> type[M]:
    """``CoreSite`` as ``Site``: with the tables of extensions as members, merged with the tables that it has."""
    members: dict[str, Any] = {}
    for name, models in _by_name(*halves).items():
        field = base.model_fields.get(name)
        there: Any = field.annotation if field else None
        inner = tuple(dict.fromkeys([*models, *_models(there)]))
        # A table of two halves, or of two packages, is one class with all of them as bases.
        members[name] = _member(_merged(inner, there or inner[0]) if inner[1:] else inner[0])
    name = base.__name__.removeprefix("Core")
    return create_model(name, __base__=base, __module__=base.__module__, __doc__=base.__doc__, **members)


def _merged(models: tuple[type[Model], ...], named: type[Any]) -> type[Model]:
    """One model of several; documents call it as the core calls its own table."""
    return cast("type[Model]", create_model(named.__name__, __base__=models, __doc__=named.__doc__))


def _models(annotation: object) -> list[type[Model]]:
    return [annotation] if isinstance(annotation, type) and issubclass(annotation, Model) else []


def _member(table: type[Model]) -> tuple[Any, Any]:
    try:
        return table, Field(default=table(), description=table.__doc__)
    except ValidationError:  # a member that has no default: without the table there is none
        return table | None, Field(default=None, description=table.__doc__)


def _by_name(*halves: Half) -> dict[str, list[type[Model]]]:
    named: dict[str, list[type[Model]]] = {}
    for table in tables():
        for half, model in table.halves():
            if half in halves:
                named.setdefault(table.name, []).append(model)
    return named


@cache
def _names() -> dict[type[Model], str]:
    return {model: table.name for table in tables() for _, model in table.halves()}


def settings_of(settings: Model, model: type[M]) -> M:
    """The table of an extension, by the model that declares it, of settings of either half.

    ``None`` where the table has a member without a default and is left out.
    """
    return cast("M", getattr(settings, _names()[model]))
