"""The files of a content folder: found without leaving it, named safely, read within bounds."""

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from citepress.contract.fault import BAD_NAME, OUTSIDE, STRAY, TOO_LARGE, UNREADABLE, Fault, Faults, Span

FILES = 1_000_000
MAX_FOLDER_LEVELS = 12
PACKAGES = "node_modules"
"""A folder that is never content, at any depth, and holds more files than all of it."""
MADE = frozenset({"state", "dist"})
"""Folders at the top that hold what is made from the content, not the content."""
READ_HIDDEN_NAMES = frozenset({".well-known"})
"""Hidden names that are read all the same."""
MARKDOWN_ENDINGS = (".md", ".markdown", ".mdown", ".mkd", ".mdx")
"""How names of Markdown end, in letters of either case."""
LEFT_OVER_ENDINGS = (".bak", ".orig", ".rej", ".swo", ".swp")
"""How names of copies end that editors and version control leave beside a file."""
MARKS = 1 << 128


class ContentFile(NamedTuple):
    """A file of the folder; ``stamp`` and ``size`` show whether it changed."""

    path: str
    """Relative to the content folder, with forward slashes."""
    size: int
    stamp: int
    """Time of its last change, in nanoseconds."""

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


def is_there(path: Path) -> bool:
    """Whether a path leads to something; not where it leads through a folder that may not be read."""
    return os.path.exists(path)  # noqa: PTH110  (pathlib raises an error there)


def is_folder(path: Path) -> bool:
    """Whether a path leads to a folder; not where it leads through one that may not be read."""
    return os.path.isdir(path)  # noqa: PTH112


def is_markdown(path: str) -> bool:
    """Whether a file is Markdown by its name."""
    return path.lower().endswith(MARKDOWN_ENDINGS)


def markdown_stem(path: str) -> str:
    """The path of a Markdown file without its ending; any other path as it is."""
    return path[: path.rindex(".")] if path.lower().endswith(MARKDOWN_ENDINGS) else path


def scan(root: Path, top: str = "") -> tuple[list[ContentFile], list[Fault]]:
    """Every file below a folder of the content folder, sorted by path, and what is wrong with the rest.

    Hidden names, editors' copies (``x~``, ``#x#``, ``x.bak``), ``state/`` and ``dist/`` are passed over; symbolic links
    are followed to files inside the folder and nowhere else.
    """
    faults: list[Fault] = []
    inside = os.path.realpath(root)
    folder = f"{inside}/{top}" if top else inside
    if top and not _stays_inside(inside, folder, top, faults):
        return [], faults
    files: list[ContentFile] = []
    _walk(inside, folder, top, files, faults, 0)
    if len(files) > FILES:
        faults.append(Fault.at(TOO_LARGE, Span(top or "."), f"holds more than {FILES:,} files"))
    return sorted(files[:FILES]), faults


def one_file(root: Path, name: str) -> tuple[list[ContentFile], list[Fault]]:
    """One file at the top of the content folder, if it is there, and what is wrong with it."""
    faults: list[Fault] = []
    inside = os.path.realpath(root)
    with os.scandir(inside) as listing:
        for entry in listing:
            if entry.name == name and not (entry.is_symlink() and not _stays_inside(inside, entry.path, name, faults)):
                file = _file(entry, name, faults)
                return [file] if file else [], faults
    return [], faults


def other_tops(root: Path, names: Iterable[str]) -> list[str]:
    """Names of the folders at the top that are none of those."""
    with os.scandir(root) as listing:
        return sorted(
            entry.name
            for entry in listing
            if entry.is_dir(follow_symlinks=False) and entry.name not in names and not is_passed_over(entry.name, "")
        )


def top_files(root: Path) -> list[ContentFile]:
    """The regular files at the top."""
    with os.scandir(root) as listing:
        entries = [
            entry for entry in listing if entry.is_file(follow_symlinks=False) and not is_passed_over(entry.name, "")
        ]
    return [file for entry in entries if (file := _file(entry, entry.name, []))]


@dataclass(frozen=True, slots=True)
class Survey:
    """The files of a content folder at one time, for the digest and for reading alike."""

    fingerprint: str
    """A digest over path, time of change and size of every file: a sum, so that one file can be replaced in it."""
    tops: Mapping[str, tuple[list[ContentFile], list[Fault]]]
    """What ``scan`` gives for each folder at the top."""
    count: int
    """How many files there are."""


def survey(root: Path) -> Survey:
    """The files that ``scan`` would find, in one walk."""
    inside = os.path.realpath(root)
    tops: dict[str, tuple[list[ContentFile], list[Fault]]] = {}
    files: list[ContentFile] = []
    try:
        with os.scandir(inside) as listing:
            entries = [entry for entry in listing if not is_passed_over(entry.name, "")]
    except OSError:
        entries = []
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            tops[entry.name] = scan(root, entry.name)
            files += tops[entry.name][0]
        elif not entry.is_symlink() or _stays_inside(inside, entry.path, entry.name, []):
            files += filter(None, [_file(entry, entry.name, [])])
    return Survey(f"{sum(map(file_mark, files)) % MARKS:032x}", tops, len(files))


def file_mark(file: ContentFile) -> int:
    """What a file adds to the digest of its folder."""
    named = f"{file.path}\0{file.stamp}\0{file.size}".encode("utf-8", "surrogateescape")
    return int.from_bytes(blake2b(named, digest_size=16).digest(), "big")


def fingerprint(root: Path) -> str:
    """A digest over path, time of change and size of every file that ``scan`` would find."""
    return survey(root).fingerprint


def read_bytes(root: Path, file: ContentFile, limit: int) -> bytes:
    """The bytes of a file of at most ``limit`` bytes. Raises ``Faults``."""
    if file.size > limit:
        raise Faults([too_large(file, limit)])
    try:
        # Without O_NONBLOCK, opening what has become a pipe since the walk would wait for ever.
        with os.fdopen(os.open(root / file.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise Faults([_unreadable(file.path)])
            data = opened.read(limit + 1)
    except OSError as error:
        raise Faults([_unreadable(file.path, error)]) from None
    if len(data) > limit:
        raise Faults([too_large(file, limit)])
    return data


def _unreadable(path: str, error: OSError | None = None) -> Fault:
    """The fault of what cannot be opened, or of a pipe, socket or device."""
    hint = "put a file in its place, or delete it"
    if error:
        hint = "delete the link, or put back the file that it leads to"
        hint = hint if isinstance(error, FileNotFoundError) else "change its permissions so that you can read it"
    message = f"cannot be read: {error.strerror}" if error else "is not a regular file"
    return Fault.at(UNREADABLE, Span(printable_path(path) or "."), message, hint)


def too_large(file: ContentFile, limit: int) -> Fault:
    """The fault of a file over its limit."""
    return Fault.at(
        TOO_LARGE, Span(printable_path(file.path)), f"has {file.size:,} bytes; at most {limit:,} are allowed"
    )


def is_utf8(path: str) -> bool:
    """Whether the bytes of a path are UTF-8, as every address and every document has to be."""
    return printable_path(path) == path


def printable_path(path: str) -> str:
    """A path that can be printed, whatever bytes its names are made of."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_passed_over(name: str, top: str = "content") -> bool:
    """Whether a name in a folder is never read; ``top`` is empty for the content folder itself."""
    if name[0] == ".":
        return name not in READ_HIDDEN_NAMES
    if name.endswith(LEFT_OVER_ENDINGS) and not top.startswith("static"):
        return True
    return name == PACKAGES or name[-1] == "~" or (name[0] == "#" and name[-1] == "#") or (not top and name in MADE)


def _walk(root: str, folder: str, top: str, files: list[ContentFile], faults: list[Fault], level: int) -> None:
    """Add the files below a folder, one more than the most at the end, and what is wrong with the rest."""
    for entry in _listed(folder, top, faults, level):
        if len(files) > FILES:
            return
        path = f"{top}/{entry.name}" if top else entry.name
        if entry.is_file(follow_symlinks=False):  # nearly all are
            files += filter(None, [_file(entry, path, faults)])
            continue
        if entry.is_symlink() and not _stays_inside(root, entry.path, path, faults):
            continue
        if not entry.is_dir(follow_symlinks=False):
            if (file := _file(entry, path, faults)) is not None:
                files.append(file)
        elif level < MAX_FOLDER_LEVELS:
            _walk(root, entry.path, path, files, faults, level + 1)
        else:
            faults.append(Fault.at(BAD_NAME, Span(printable_path(path)), f"is deeper than {MAX_FOLDER_LEVELS} folders"))


def _listed(folder: str, top: str, faults: list[Fault], level: int) -> list[os.DirEntry[str]]:
    """What is in a folder and may be read, with a fault where that cannot be said, or where it was to be a file."""
    try:
        with os.scandir(folder) as listing:
            entries = [entry for entry in listing if not is_passed_over(entry.name, top)]
    except OSError as error:
        if level or not isinstance(error, FileNotFoundError):
            faults.append(_unreadable(top, error))
        return []
    if not entries and top.endswith(".md"):
        hint = "remove it, or write a file of that name"
        faults.append(Fault.at(STRAY, Span(printable_path(top)), "is an empty folder, not a file", hint))
    return entries


def _file(entry: os.DirEntry[str], path: str, faults: list[Fault]) -> ContentFile | None:
    try:
        status = entry.stat()
    except OSError as error:
        faults.append(_unreadable(path, error))
        return None
    if stat.S_ISREG(status.st_mode):
        return ContentFile(path, status.st_size, status.st_mtime_ns)
    faults.append(_unreadable(path))
    return None


def _stays_inside(root: str, path: str, name: str, faults: list[Fault]) -> bool:
    """Whether a name leads to a place inside the folder, and to no other folder of it."""
    target = os.path.realpath(path)
    if not f"{target}{os.sep}".startswith(root + os.sep):
        message, hint = "is a link that leads out of the content folder", "copy the file into the folder"
    elif target != path and os.path.isdir(target):  # noqa: PTH112  (str paths: the walk sees many)
        message, hint = "is a link to a folder, which is not followed", "move the folder here"
    else:
        return True
    faults.append(Fault.at(OUTSIDE, Span(printable_path(name)), message, hint))
    return False
