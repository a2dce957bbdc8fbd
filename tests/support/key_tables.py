"""Tables of the keys that a model reads, with a section for each model inside it."""

import inspect
import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from citepress.contract.member_texts import member_text
from citepress.contract.validation import written_names
from support.marked_places import filled

PLAIN = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    datetime: "date",
    Any: "anything",
    dict: "mapping",
}


class KeyTables:
    """The tables of one page; ``elsewhere`` says which models have their section on another page."""

    def __init__(self, elsewhere: Mapping[str, str] | None = None, *, defaults: bool = False) -> None:
        self._elsewhere = elsewhere or {}
        self._defaults = defaults
        self._parts: dict[str, type[BaseModel]] = {}
        self._done: dict[str, str] = {}

    def table(self, model: type[BaseModel], left_out: frozenset[str] = frozenset()) -> str:
        """A row for each key of a model, and a section in ``parts`` for each model in it."""
        return "".join(self._rows(model, left_out))

    def parts(self, *models: type[BaseModel]) -> str:
        """The sections of all models that tables named since the last call, in the order of their names."""
        self._parts |= {model.__name__: model for model in models}
        fresh: dict[str, str] = {}
        while waiting := [name for name in sorted(self._parts) if name not in self._done]:
            for name in waiting:
                about = joined(self._parts[name].__doc__ or "")
                fresh[name] = self._done[name] = f"### {name}\n\n{about}\n\n{self.table(self._parts[name])}"
        return "\n".join(fresh[name] for name in sorted(fresh))

    @property
    def names(self) -> frozenset[str]:
        """The models that have a section on this page."""
        return frozenset(self._done)

    def _rows(self, model: type[BaseModel], left_out: frozenset[str]) -> Iterator[str]:
        yield "| key | value | meaning |\n|---|---|---|\n"
        usual = written_names(model)
        for name, field in model.model_fields.items():
            if name not in left_out:
                alias = field.validation_alias
                names = [choice for choice in usual if choice in {name, *getattr(alias, "choices", [alias])}]
                keys = " or ".join(f"`{label}`" for label in names or [name])
                about = " ".join((field.description or member_text(model, name) or "").replace("``", "`").split())
                default = _default(field.default) if self._defaults else ""
                yield (
                    f"| {keys}{' (required)' if field.is_required() else ''} | {self._sort(field.annotation)} |"
                    f" {about.replace('|', chr(92) + '|')}{default} |\n"
                )

    def _sort(self, annotation: Any) -> str:
        """The sort of value, in words."""
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            name = annotation.__name__
            if name not in self._elsewhere:
                self._parts[name] = annotation
            return f"[{name}]({self._elsewhere.get(name, '')}#{name.lower()})"
        origin, inside = get_origin(annotation), get_args(annotation)
        if origin is Literal:
            return words(inside)
        if origin is list:
            return f"list: {self._sort(inside[0])}"
        if origin is dict and isinstance(inside[1], type) and issubclass(inside[1], BaseModel):
            return f"mapping: {self._sort(inside[1])}"
        if origin in PLAIN or annotation in PLAIN:
            return PLAIN[origin if origin in PLAIN else annotation]
        if hasattr(annotation, "__metadata__"):
            inside = inside[:1]
        return " or ".join(self._sort(type_) for type_ in inside if type_ is not type(None))


def _default(value: Any) -> str:
    return f" Default: `{json.dumps(value)}`." if isinstance(value, str | int | float) and value != "" else ""


def joined(docstring: str) -> str:
    """A docstring as Markdown, wrapped."""
    return filled(inspect.cleandoc(docstring).replace("``", "`"))


def words(names: Any) -> str:
    """Values that can be written, one after the other."""
    return ", ".join(f"`{name}`" for name in names)
