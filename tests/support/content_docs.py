"""The tables of keys in ``docs/guides/write.md``, from the types that read the content."""

import inspect
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from citepress.content.datasets import DatasetFront
from citepress.content.front import PageFront
from citepress.content.owner_file import OwnerInput
from citepress.content.privacy_rules import PRIVACY_RULES, Fate
from citepress.content.sources_file import OriginInput
from citepress.contract.member_texts import member_text
from citepress.contract.record import Front, SourceInput
from citepress.contract.site import Site
from citepress.contract.validation import written_names
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES

PLAIN = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    datetime: "date",
    Any: "anything",
    dict: "mapping",
}


def tables() -> dict[str, str]:
    """The written part of each marked place of the page."""
    parts: dict[str, type[BaseModel]] = {}
    sections = {
        "front": _table(Front, parts),
        "kinds": "\n".join(
            f"### content/{kind.name}/\n\n{kind.about}\n\n{_table(kind.fields, parts, frozenset(Front.model_fields))}"
            for kind in KINDS
        ),
        "pages": _table(PageFront, parts),
        "owner": _table(OwnerInput, parts),
        "datasets": _table(DatasetFront, parts),
        "origins": _table(OriginInput, parts),
        "settings": _table(Site, parts),
        "registries": (
            "\n".join(
                f"- `content/{registry.name}/`: {registry.about}"
                + (f" `type:` is one of {_words(registry.models)}." if len(registry.models) > 1 else "")
                for registry in REGISTRIES
            )
            + "\n"
        ),
    }
    sections["not-public"] = "".join(_private_rows())
    parts.setdefault("SourceInput", SourceInput)
    done: dict[str, str] = {}
    while waiting := [name for name in sorted(parts) if name not in done]:
        for name in waiting:
            done[name] = f"### {name}\n\n{_joined(parts[name].__doc__ or '')}\n\n{_table(parts[name], parts)}"
    sections["parts"] = "\n".join(done[name] for name in sorted(done))
    return sections


def _table(model: type[BaseModel], parts: dict[str, type[BaseModel]], left_out: frozenset[str] = frozenset()) -> str:
    return "".join(_rows(model, parts, left_out))


def _rows(model: type[BaseModel], parts: dict[str, type[BaseModel]], left_out: frozenset[str]) -> Iterator[str]:
    yield "| key | value | meaning |\n| --- | --- | --- |\n"
    usual = written_names(model)
    for name, field in model.model_fields.items():
        if name not in left_out:
            alias = field.validation_alias
            names = [choice for choice in usual if choice in {name, *getattr(alias, "choices", [alias])}]
            keys = " or ".join(f"`{label}`" for label in names or [name])
            about = (
                _joined(field.description or member_text(model, name) or "").replace("\n\n", " ").replace("|", "\\|")
            )
            yield (
                f"| {keys}{' (required)' if field.is_required() else ''} | {_sort(field.annotation, parts)} |"
                f" {about} |\n"
            )


def _private_rows() -> Iterator[str]:
    """A row for each rule on what the tool of a folder does not publish."""
    yield "| what | where | plain folder | import |\n| --- | --- | --- | --- |\n"
    for rule in PRIVACY_RULES:
        tools = rule.tools if isinstance(rule.tools, str) else ", ".join(map(_tool_name, rule.tools)) or "any"
        fate = getattr(rule, "fate", None)
        held = "held back, with a warning" if getattr(rule, "doubtful", False) else "held back"
        imported = {Fate.DRAFT: "a draft", Fate.LEFT: "set aside"}.get(fate, "left out")
        yield f"| {rule.shown} | {tools} | {held if fate else 'left out of the text'} | {imported} |\n"


def _tool_name(tool: str) -> str:
    return {"mkdocs": "MkDocs"}.get(tool, tool.capitalize())


def _joined(docstring: str) -> str:
    """A docstring as Markdown, each paragraph on a line of its own."""
    paragraphs = inspect.cleandoc(docstring).replace("``", "`").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _sort(annotation: Any, parts: dict[str, type[BaseModel]]) -> str:
    """The sort of value, in words."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        parts[annotation.__name__] = annotation
        return f"[{annotation.__name__}](#{annotation.__name__.lower()})"
    origin, inside = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return _words(inside)
    if origin is list:
        return f"list: {_sort(inside[0], parts)}"
    if hasattr(annotation, "__metadata__"):
        return _sort(inside[0], parts)
    if origin in PLAIN or annotation in PLAIN:
        return PLAIN[origin if origin in PLAIN else annotation]
    return " or ".join(_sort(type_, parts) for type_ in inside if type_ is not type(None))


def _words(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names)
