"""Lists of the keys that a model reads, with a section for each model that several of them name."""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from citepress.contract.member_texts import member_text
from citepress.contract.validation import written_names
from support.marked_places import filled

PLAIN = {str: "", int: "integer", float: "number", bool: "boolean", datetime: "date", Any: "anything", dict: "mapping"}
"""The words for sorts of values; a text, which most keys take, has none."""
REQUIRED = "\\*"
WIDTH = 100
NESTED = "  "
"""What the lines of an item begin with below the first."""
Models = tuple[type[BaseModel], ...]


class KeyTables:
    """The lists of one page; ``elsewhere`` says which models have their section on another page.

    A model that one key alone names is listed below that key, any other in a section: ``models`` are those of the page.
    """

    def __init__(self, models: Iterable[type[BaseModel]], elsewhere: Mapping[str, str] | None = None) -> None:
        self._elsewhere = elsewhere or {}
        self._places = _places(models)
        self._parts: dict[str, Models] = {}
        self._done: dict[str, str] = {}

    def table(
        self, model: type[BaseModel], like: type[BaseModel] | None = None, left_out: frozenset[str] = frozenset()
    ) -> str:
        """An item for each key of a model, and a section in ``parts`` for each model that it shares with others.

        Keys that mean the same in records, whose model is ``like``, are only named.
        """
        own, records = list(self._items(model, left_out, "")), set(self._items(like, frozenset(), "") if like else ())
        if shared := [each.removeprefix("- ").partition(":")[0].partition(" (")[0] for each in own if each in records]:
            own = [item(f"- As in records: {', '.join(shared)}."), *(each for each in own if each not in records)]
        return "".join(own)

    def parts(self, *models: type[BaseModel]) -> str:
        """The sections of all models that lists named since the last call, in the order of their names."""
        self._parts |= {model.__name__: (model,) for model in models}
        fresh: dict[str, str] = {}
        while waiting := [name for name in sorted(self._parts) if name not in self._done]:
            for name in waiting:
                fresh[name] = self._done[name] = f"### {name}\n\n{self._section(self._parts[name])}"
        return "\n".join(fresh[name] for name in sorted(fresh))

    @property
    def names(self) -> frozenset[str]:
        """The models that have a section on this page."""
        return frozenset(self._done)

    def _section(self, models: Models) -> str:
        if len(models) == 1:
            return f"{joined(models[0].__doc__ or '')}\n\n{self.table(models[0])}"
        return "".join(self._choices(models, ""))

    def _items(self, model: type[BaseModel], left_out: frozenset[str], indent: str) -> Iterator[str]:
        usual = written_names(model)
        for name, field in model.model_fields.items():
            if name not in left_out:
                alias = field.validation_alias
                names = [choice for choice in usual if choice in {name, *getattr(alias, "choices", [alias])}]
                keys = " or ".join(f"`{label}`" for label in names or [name])
                about = " ".join((field.description or member_text(model, name) or "").replace("``", "`").split())
                value = self._value(field)
                head = f"{keys}{REQUIRED if field.is_required() else ''}{f' ({value})' if value else ''}"
                yield item(f"- {head}: {about}", indent)
                if (inside := _models(field.annotation)) and self._is_inside(inside):
                    yield from self._choices(inside, indent + NESTED)

    def _choices(self, models: Models, indent: str) -> Iterator[str]:
        """The keys of a model, or of the models that one key tells apart: first those that all of them have."""
        first = models[0]
        if len(models) == 1:
            yield from self._items(first, frozenset(), indent)
            return
        mark = _mark(models)
        common = {name for name in first.model_fields if len({_owner(model, name) for model in models}) == 1}
        yield from self._items(first, frozenset(first.model_fields) - common, indent)
        for model in models:
            values = " or ".join(f'`{mark} = "{value}"`' for value in get_args(model.model_fields[mark].annotation))
            yield item(f"- {values}: {' '.join((model.__doc__ or '').replace('``', '`').split())}", indent)
            yield from self._items(model, frozenset({mark, *common}), indent + NESTED)

    def _is_inside(self, models: Models) -> bool:
        """Whether the keys of these models are listed below the only key that takes them."""
        return all(self._places[model] == 1 and model.__name__ not in self._elsewhere for model in models)

    def _value(self, field: FieldInfo) -> str:
        """The sort of value, and the default, which shows the sort of most values."""
        default, sort = field.default, self._sort(field.annotation)
        if not isinstance(default, str | int | float) or default == "":
            return sort
        words = f"default {str(default).lower()}" if isinstance(default, int) else f"default `{default}`"
        return f"{sort}, {words}" if sort.startswith("`") or " or " in sort else words

    def _sort(self, annotation: Any) -> str:
        """The sort of value in words; nothing for a text and for models whose keys follow."""
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return self._link(annotation.__name__, (annotation,))
        origin, inside = get_origin(annotation), get_args(annotation)
        if origin is Literal:
            return words(inside)
        if origin in {list, dict} and (origin is list or _models(annotation)):
            return ": ".join(part for part in ({list: "list", dict: "mapping"}[origin], self._sort(inside[-1])) if part)
        if origin in PLAIN or annotation in PLAIN:
            return PLAIN[origin if origin in PLAIN else annotation]
        inside = inside[:1] if hasattr(annotation, "__metadata__") else inside
        return self._sort_of_options([type_ for type_ in inside if type_ is not type(None)])

    def _sort_of_options(self, options: Sequence[Any]) -> str:
        """The sort of a value that is of one of several types."""
        if len(options) == 1:
            return self._sort(options[0])
        models = tuple(model for each in options for model in _models(each))
        if len(models) == len(options):
            return self._link(_mark(models), models)
        return " or ".join(self._sort(each) or ("mapping" if _models(each) else "text") for each in options)

    def _link(self, name: str, models: Models) -> str:
        """A link to the section of models; nothing where their keys follow."""
        if self._is_inside(models):
            return ""
        if name not in self._elsewhere:
            self._parts[name] = models
        return f"[{name}]({self._elsewhere.get(name, '')}#{name.lower()})"


def _owner(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    """The class that declares a member of a model."""
    return next((base for base in model.__mro__ if name in inspect.get_annotations(base)), None)


def _mark(models: Models) -> str:
    """The member whose value tells models apart."""
    return next(name for name, field in models[0].model_fields.items() if get_origin(field.annotation) is Literal)


def _places(models: Iterable[type[BaseModel]]) -> Mapping[type[BaseModel], int]:
    """How many keys take each model."""
    counts: dict[type[BaseModel], int] = {}
    waiting = list(dict.fromkeys(models))
    counted = set()
    while waiting:
        model = waiting.pop()
        for name, field in model.model_fields.items():
            key = _owner(model, name), name
            for part in _models(field.annotation) if key not in counted else ():
                waiting += [] if part in counts else [part]
                counts[part] = counts.get(part, 0) + 1
            counted.add(key)
    return counts


def _models(annotation: Any) -> Models:
    """The models in an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return (annotation,)
    return tuple(model for part in get_args(annotation) for model in _models(part))


def item(text: str, indent: str = "") -> str:
    """An item of a list, wrapped; ``indent`` is what its first line begins with."""
    lines = filled(text, WIDTH - len(indent) - len(NESTED)).replace("\n", f"\n{indent}{NESTED}")
    return f"{indent}{lines}\n"


def joined(docstring: str) -> str:
    """A docstring as Markdown, wrapped."""
    return filled(inspect.cleandoc(docstring).replace("``", "`"))


def words(names: Any) -> str:
    """Values that can be written, one after the other."""
    return ", ".join(f"`{name}`" for name in names)
