"""Front matter and settings of other tools, read leniently."""

from typing import Any

from citepress.content.source_map import TOML
from citepress.content.value_marks import ParseFault
from citepress_import.errors import ImportRefusedError
from citepress_notes import lenient_values
from citepress_notes.metadata_lines import split_note


def parted(text: str, *, metadata: bool = False) -> tuple[dict[str, Any], str, bool]:
    """Front matter, body, and whether the front matter is TOML. Raises ``ImportRefusedError`` with the reason.

    ``metadata``: whether lines such as ``Title: …`` are front matter too.
    """
    matter = split_note(text.lstrip("\n"), metadata=metadata)
    if matter.front is None or not matter.closed:
        return {}, text.strip("\n"), False
    try:
        try:
            members = matter.format.load(matter.front)
        except ParseFault:
            clean = lenient_values.YAML_TAG.sub(r"\1", matter.front).replace("\t", "  ")
            if clean == matter.front:
                raise
            members = matter.format.load(clean)
    except ParseFault as error:
        line = error.mark[0] + matter.format.above
        raise ImportRefusedError(f"line {line}: {error.message}") from None
    return (members if isinstance(members, dict) else {}), matter.body, matter.format is TOML


def settings(text: str, name: str) -> dict[str, Any]:
    """The settings of a file, by the ending of its name. Raises ``ImportRefusedError``."""
    try:
        return lenient_values.settings(text, name)
    except ParseFault as error:
        raise ImportRefusedError(f"{name}, line {error.mark[0]}: {error.message}") from None
