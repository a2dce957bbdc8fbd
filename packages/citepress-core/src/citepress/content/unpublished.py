"""Files of a folder of Markdown that are not notes: other people's code, project files, and ignored files."""

import posixpath
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from pathspec import GitIgnoreSpec

from citepress.base.word_lists import word_list
from citepress.content.files import ContentFile, is_there, markdown_stem, read_bytes
from citepress.contract.fault import Faults

IGNORE_FILE = ".gitignore"
IGNORE_BYTES = 262_144
FOREIGN = frozenset({"node_modules", "vendor", "bower_components", "site-packages", "__pycache__"})
"""Folders of code that others wrote, at any depth."""
PROJECT = frozenset(word_list("citepress", "project files"))
"""Files at the top that are about the project, by their names in lower case."""
README = "readme"


def project_name(path: str) -> str:
    """The name of a file at the top that is about the project; empty for any other.

    ``README.md``, ``LICENSE.md``: as a note may be on security, all but the readme are known by their capitals only.
    """
    stem = markdown_stem(path)
    name = stem.lower().replace("_", "-")
    return name if "/" not in path and name in PROJECT and (stem == stem.upper() or name == README) else ""


def find_publishable(
    root: Path, files: Iterable[ContentFile], *, without: Collection[str] = ()
) -> Iterator[ContentFile]:
    """The files that can be published: without other people's code, these folders at the top, and ignored files."""
    specs: dict[str, GitIgnoreSpec | None] = {}
    for file in files:
        parts = file.path.split("/")[:-1]
        if not (FOREIGN.intersection(parts) or (parts and parts[0] in without) or _ignored(root, file.path, specs)):
            yield file


def foreign(path: str) -> bool:
    """Whether a path is in a folder of other people's code."""
    return not FOREIGN.isdisjoint(path.split("/"))


def _ignored(root: Path, path: str, specs: dict[str, GitIgnoreSpec | None]) -> bool:
    """Whether ``.gitignore`` files exclude a file; the nearest one with a matching pattern decides."""
    folder, inner, decided = "", path, False
    while True:
        if folder not in specs:
            specs[folder] = _spec(root, folder)
        spec = specs[folder]
        if spec is not None and (said := spec.check_file(inner).include) is not None:
            decided = said
        first, slash, inner = inner.partition("/")
        if not slash:
            return decided
        folder = posixpath.join(folder, first)


def _spec(root: Path, folder: str) -> GitIgnoreSpec | None:
    path = posixpath.join(folder, IGNORE_FILE)
    if not is_there(root / path):
        return None
    try:
        data = read_bytes(root, ContentFile(path, 0, 0), IGNORE_BYTES)
        return GitIgnoreSpec.from_lines(data.decode("utf-8", "replace").splitlines())
    except (Faults, ValueError):  # a file that cannot be read, or a pattern that Git would pass over
        return None
