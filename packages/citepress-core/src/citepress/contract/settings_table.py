"""Tables of ``site.toml`` and environment variables of extensions, and the models of all settings with these tables."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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
    implies: Callable[[Any], Mapping[str, object]] | None = None
    """Gives members of the publication that follow from the table where ``site.toml`` leaves them out."""

    def halves(self) -> Iterator[tuple[Half, type[Model]]]:
        """Its models."""
        if self.published:
            yield "published", self.published
        if self.private:
            yield "private", self.private


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable. ``Settings.variables`` has the values of those that extensions bring."""

    name: str
    """The part after ``CITEPRESS_``."""
    about: str
    secret: bool = False
    """Whether it may hold a password, and is read from the file that ``<name>_FILE`` names too."""
    limit: str = ""
    """The member of ``[limits]`` that it overrides; ``Settings.limits`` has its value then."""


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
        there = _models(field.annotation) if field else []
        # The halves of a site have their members already.
        if further := [model for model in models if not any(issubclass(table, model) for table in there)]:
            members[name] = _member(_merged(*further, *there), field.description if field else further[0].__doc__)
    name = base.__name__.removeprefix("Core")
    return create_model(name, __base__=base, __module__=base.__module__, __doc__=base.__doc__, **members)


def _merged(*models: type[Model]) -> type[Model]:
    """One class with all of them as bases, which is called as the last, that of the core."""
    last = models[-1]
    if not models[1:]:
        return last
    return cast("type[Model]", create_model(last.__name__, __base__=models, __doc__=last.__doc__))


def _models(annotation: object) -> list[type[Model]]:
    return [annotation] if isinstance(annotation, type) and issubclass(annotation, Model) else []


def _member(table: type[Model], about: str | None) -> tuple[Any, Any]:
    try:
        return table, Field(default=table(), description=about)
    except ValidationError:  # a member that has no default: without the table there is none
        return table | None, Field(default=None, description=about)


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


def implied(site: Model, unset: Model) -> dict[str, object]:
    """The members that follow from the tables of extensions, of those that are ``None`` in ``unset``."""
    given = (table.implies(part) for table in tables() if table.implies and (part := getattr(site, table.name)))
    return {name: value for members in given for name, value in members.items() if getattr(unset, name) is None}
