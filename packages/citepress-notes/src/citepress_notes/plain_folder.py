"""The files of a plain folder, sorted: notes, the readme, attachments, static files and templates."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from citepress.content import unpublished
from citepress.content.files import ContentFile, is_markdown, is_there, read_bytes
from citepress.contract.fault import Faults
from citepress_notes.attachments import is_attachment
from citepress_notes.lenient_values import readable

BUILT = {
    "hexo": frozenset({"public", "scaffolds", "themes"}),
    "hugo": frozenset({"archetypes", "layouts", "public", "resources", "themes"}),
    "zola": frozenset({"public", "sass", "templates", "themes"}),
    "jekyll": frozenset({"_includes", "_layouts", "_sass", "_site"}),
    "mkdocs": frozenset({"overrides", "site"}),
    "pelican": frozenset({"output"}),
    "quartz": frozenset({"public", "quartz"}),
}
"""Folders at the top that hold a generator's templates and what it made."""
MAX_SETTINGS_BYTES = 4_194_304
"""Bytes of a file of settings, or of a note that hands down front matter."""
OWN = {"hugo": "static/", "zola": "static/"}
"""Where a generator keeps the files whose public paths begin below the folder."""


@dataclass(frozen=True)
class FolderFiles:
    """The files of a folder as the tools see them that it was written for."""

    root: Path
    files: list[ContentFile]

    @cached_property
    def paths(self) -> Collection[str]:
        """Paths of files without a hidden name in them."""
        return frozenset(file.path for file in self.files)

    def has(self, path: str) -> bool:
        """Whether there is a file or folder, hidden ones too."""
        return is_there(self.root / path)

    def text(self, path: str) -> str | None:
        """The text of a file; ``None`` where it cannot be read."""
        if not (self.root / path).resolve().is_relative_to(self.root):
            return None
        try:
            return readable(read_bytes(self.root, ContentFile(path, 0, 0), MAX_SETTINGS_BYTES))[0]
        except Faults:
            return None


@dataclass(frozen=True, slots=True)
class Sorted:
    """The files of a plain folder by what they are."""

    notes: tuple[ContentFile, ...]
    readme: tuple[ContentFile, ...]
    beside: Mapping[str, ContentFile]
    """Attachments by public path."""
    static: tuple[ContentFile, ...]
    templates: tuple[ContentFile, ...]


def generator(tools: Iterable[str]) -> str:
    """The site generator among the tools that a folder is written for; nothing where there is none."""
    return next((tool for tool in tools if tool in BUILT), "")


def sorted_out(
    root: Path,
    files: Iterable[ContentFile],
    made_by: str,
    tops: Iterable[str],
    is_text: Callable[[str], bool] = is_markdown,
) -> Sorted:
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
        elif is_text(file.path) and not file.path.startswith(base):
            project = unpublished.project_name(file.path)
            if not project:
                notes.append(file)
            elif project == unpublished.README:
                readme.append(file)
    return Sorted(
        tuple(notes), tuple(readme[:1]), beside, tuple(own.get("static", ())), tuple(own.get("templates", ()))
    )
