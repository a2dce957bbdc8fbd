"""The tables of keys in the content model, and the one of what is not public in the guide to plain folders."""

from collections.abc import Iterator

from citepress.content.datasets import DatasetFront
from citepress.content.front import PageFront
from citepress.content.owner_file import OwnerInput
from citepress.content.sources_file import OriginInput
from citepress.contract.record import Front, SourceInput
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress_notes.privacy_rules import PRIVACY_RULES, Fate
from support.key_tables import KeyTables, joined, words


def tables() -> dict[str, str]:
    """The written part of each marked place of the page."""
    keys = KeyTables()
    return {
        "front": keys.table(Front),
        "kinds": "\n".join(
            f"### content/{kind.name}/\n\n{joined(kind.about)}\n\n"
            + keys.table(kind.fields, frozenset(Front.model_fields))
            for kind in KINDS
        ),
        "pages": keys.table(PageFront),
        "owner": keys.table(OwnerInput),
        "datasets": keys.table(DatasetFront),
        "origins": keys.table(OriginInput),
        "registries": "".join(_registries()),
        "parts": keys.parts(SourceInput),
    }


def parts() -> frozenset[str]:
    """The models that the page has a section for."""
    keys = KeyTables()
    for model in (Front, *(kind.fields for kind in KINDS), PageFront, OwnerInput, DatasetFront, OriginInput):
        keys.table(model)
    keys.parts(SourceInput)
    return keys.names


def _registries() -> Iterator[str]:
    yield "| folder | `type:` is one of | meaning |\n|---|---|---|\n"
    for registry in REGISTRIES:
        types = words(registry.models) if len(registry.models) > 1 else ""
        yield f"| `content/{registry.name}/` | {types} | {registry.about} |\n"


def private_table() -> str:
    """A row for each rule on what the tool of a folder does not publish."""
    return "".join(_private_rows())


def _private_rows() -> Iterator[str]:
    yield "| what | where | plain folder | import |\n| --- | --- | --- | --- |\n"
    for rule in PRIVACY_RULES:
        tools = rule.tools if isinstance(rule.tools, str) else ", ".join(map(_tool_name, rule.tools)) or "any"
        fate = getattr(rule, "fate", None)
        held = "held back, with a warning" if getattr(rule, "doubtful", False) else "held back"
        imported = {Fate.DRAFT: "a draft", Fate.LEFT: "set aside"}.get(fate, "left out")
        yield f"| {rule.shown} | {tools} | {held if fate else 'left out of the text'} | {imported} |\n"


def _tool_name(tool: str) -> str:
    return {"mkdocs": "MkDocs"}.get(tool, tool.capitalize())
