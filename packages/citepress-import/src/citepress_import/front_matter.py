"""Front matter and settings of other tools, read leniently."""

from typing import Any

from citepress.content.source_map import TOML, YAML, FrontMatter
from citepress.content.value_marks import ParseFault
from citepress.content.yaml_loader import LAST
from citepress_import.errors import ImportRefusedError
from citepress_notes import lenient_values
from citepress_notes.metadata_lines import split_note


def parted(text: str, *, metadata: str = "") -> tuple[dict[str, Any], str, bool]:
    """Front matter, body, and whether the front matter is TOML. Raises ``ImportRefusedError`` with the reason.

    ``metadata``: the tool whose own notation of front matter is read.
    """
    matter = split_note(text.lstrip("\ufeff\n"), metadata=metadata)
    if matter.front is None or not matter.closed:
        return {}, text.strip("\n"), False
    try:
        members = _loaded(matter, matter.front)
    except ParseFault as error:
        line = error.mark[0] + matter.format.above
        raise ImportRefusedError(f"line {line}: {error.message}") from None
    return (members if isinstance(members, dict) else {}), matter.body, matter.format is TOML


def _loaded(matter: FrontMatter, front: str) -> object:
    """The members of a front matter: tags of YAML are passed over, and the last value of a doubled key counts."""
    is_yaml = matter.format.load is YAML.load
    try:
        return matter.format.load(front, **({"doubled": LAST} if is_yaml else {}))
    except ParseFault:
        clean = lenient_values.YAML_TAG.sub(r"\1", front).replace("\t", "  ")
        if clean == front:
            raise
        return matter.format.load(clean, **({"doubled": LAST} if is_yaml else {}))


def settings(text: str, name: str) -> dict[str, Any]:
    """The settings of a file, by the ending of its name. Raises ``ImportRefusedError``."""
    try:
        return lenient_values.settings(text, name)
    except ParseFault as error:
        raise ImportRefusedError(f"{name}, line {error.mark[0]}: {error.message}") from None
