"""The tables of keys in the content model, and the one of what is not public in the guide to plain folders."""

from collections.abc import Iterator, Mapping

from citepress.content.datasets import DatasetFront
from citepress.content.front import PageFront
from citepress.content.owner_file import OwnerInput
from citepress.content.sources_file import OriginInput
from citepress.contract.record import Front, SourceInput
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress_notes.privacy_rules import PRIVACY_RULES, Fate, PrivacyRule
from support.key_tables import KeyTables, item, joined, words

ANY = "any folder"
COLUMNS = DRAFT, DOUBTFUL, SET_ASIDE, LEFT_OUT = (
    "Held back, and imported as a draft",
    "Held back with a warning, because it only looks private, and imported as a draft",
    "Held back, and not imported",
    "Left out of the text",
)
MIN_TOOLS = 3
"""Tools from which on a rule has an item for all of them."""


MODELS = (Front, *(kind.fields for kind in KINDS), PageFront, OwnerInput, DatasetFront, OriginInput)
"""What authors write."""


def tables() -> dict[str, str]:
    """The written part of each marked place of the page."""
    keys = KeyTables(MODELS)
    return {
        "front": keys.table(Front),
        "kinds": "\n".join(
            f"### content/{kind.name}/\n\n{joined(kind.about)}\n\n" + keys.table(kind.fields) for kind in KINDS
        ),
        "pages": keys.table(PageFront, Front),
        "owner": keys.table(OwnerInput),
        "datasets": keys.table(DatasetFront, Front),
        "origins": keys.table(OriginInput),
        "registries": "".join(_registries()),
        "parts": keys.parts(SourceInput),
    }


def parts() -> frozenset[str]:
    """The models that the page has a section for."""
    keys = KeyTables(MODELS)
    for model in MODELS:
        keys.table(model)
    keys.parts(SourceInput)
    return keys.names


def _registries() -> Iterator[str]:
    for registry in REGISTRIES:
        types = f" `type` is one of {words(registry.models)}." if len(registry.models) > 1 else ""
        yield item(f"- `content/{registry.name}/`: {registry.about}{types}")


def private_table() -> str:
    """What each tool does not publish, by what becomes of it; what several tools share comes first."""
    places: dict[str, dict[str, list[str]]] = {column: {} for column in COLUMNS}
    for rule in PRIVACY_RULES:
        for tool in _tool_names(rule.tools):
            places[_column(rule)].setdefault(rule.shown, []).append(tool)
    return "\n".join("".join(_fate(column, rules)) for column, rules in places.items())


def _fate(column: str, rules: Mapping[str, list[str]]) -> Iterator[str]:
    yield f"{column}:\n\n"
    own: dict[str, list[str]] = {}
    for shown, tools in rules.items():
        if len(tools) >= MIN_TOOLS:
            yield item(f"- {', '.join(sorted(tools))}: {shown}")
        else:
            for tool in tools:
                own.setdefault(tool, []).append(shown)
    for tool in sorted(own, key=lambda tool: (tool != ANY, tool)):
        yield item(f"- {tool}: {'; '.join(own[tool])}")


def _column(rule: PrivacyRule) -> str:
    if getattr(rule, "doubtful", False):
        return DOUBTFUL
    return {Fate.DRAFT: DRAFT, Fate.LEFT: SET_ASIDE}.get(getattr(rule, "fate", None), LEFT_OUT)


def _tool_names(tools: str | tuple[str, ...]) -> list[str]:
    names = tools.split(", ") if isinstance(tools, str) else [tool.capitalize() for tool in tools]
    return [ANY] if not names or "any" in names else [{"Mkdocs": "MkDocs"}.get(name, name) for name in names]
