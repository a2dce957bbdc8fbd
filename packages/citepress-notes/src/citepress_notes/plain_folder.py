"""Sorts the files of a plain folder: notes, the readme, attachments, static files and templates."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from citepress.content import unpublished
from citepress.content.files import ContentFile, is_markdown
from citepress_notes.attachments import is_attachment
from citepress_notes.generators import BUILT

OWN = {"hugo": "static/", "zola": "static/"}
"""Where a generator keeps the files whose public paths begin below the folder."""


@dataclass(frozen=True, slots=True)
class Sorted:
    """The files of a plain folder by what they are."""

    notes: tuple[ContentFile, ...]
    readme: tuple[ContentFile, ...]
    beside: Mapping[str, ContentFile]
    """Attachments by public path."""
    static: tuple[ContentFile, ...]
    templates: tuple[ContentFile, ...]


def sorted_out(root: Path, files: Iterable[ContentFile], made_by: str, tops: Iterable[str]) -> Sorted:
    """The files by what they are; ``tops`` are those of the archive's folders that a folder with settings has too."""
    notes: list[ContentFile] = []
    readme: list[ContentFile] = []
    beside: dict[str, ContentFile] = {}
    own: dict[str, list[ContentFile]] = {top: [] for top in tops}
    base = OWN.get(made_by, "/")
    for file in unpublished.find_publishable(root, files, without=BUILT.get(made_by, ())):
        top = file.path.partition("/")[0]
        if top in own:
            own[top].append(file)
        elif is_attachment(file.path):
            beside["/" + file.path.removeprefix(base)] = file
        elif is_markdown(file.path) and not file.path.startswith(base):
            project = unpublished.project_name(file.path)
            if not project:
                notes.append(file)
            elif project == unpublished.README:
                readme.append(file)
    return Sorted(
        tuple(notes),
        tuple(readme[:1]),
        beside,
        tuple(own.get("static", ())),
        tuple(own.get("templates", ())),
    )
