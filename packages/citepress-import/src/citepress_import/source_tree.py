"""The files of a former site, in a folder, a ZIP file or one export file: listed once, read within bounds."""

import os
import posixpath
import stat
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile, ZipInfo

from citepress.content import unpublished
from citepress.content.files import ContentFile, is_utf8, printable_path, read_bytes, scan
from citepress.contract.fault import Faults
from citepress_import.errors import ImportRefusedError
from citepress_notes.former_tools import ToolFiles, tools_of
from citepress_notes.held_back import PublicRules
from citepress_notes.lenient_values import readable
from citepress_notes.plain_folder import FolderFiles

TEXT_BYTES = 4_194_304
"""Bytes of a post or a settings file."""
EXPORT_BYTES = 268_435_456
"""Bytes of an export file."""
ARCHIVE_BYTES = 2_147_483_648
"""Bytes of all files of a ZIP file."""
ARCHIVE_FILES = 200_000
RATIO = 200
"""How many times its packed size a file of a ZIP file may have."""
_UNWANTED = dict.fromkeys([*range(9), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F, 0xFFFE, 0xFFFF])


class SourceTree:
    """The files of a former site by their paths, which have forward slashes."""

    def __init__(self, root: Path, sizes: Mapping[str, int], packed: ZipFile | None = None, alone: str = "") -> None:
        self.root = root
        self.sizes = sizes
        self.alone = alone
        """The path of the only file, where the source is one file."""
        self.repaired: dict[str, str] = {}
        """Files whose bytes were no clean text, and what was done."""
        self.skipped: dict[str, str] = {}
        """Files and folders that are not looked into, and why."""
        self._packed = packed

    @property
    def is_folder(self) -> bool:
        """Whether the files are in a folder of their own, which may have a history."""
        return self._packed is None and not self.alone

    def has(self, path: str) -> bool:
        """Whether there is a file, or a folder of that name, hidden ones too."""
        if path in self.sizes or any(name.startswith(f"{path}/") for name in self.sizes):
            return True
        return self.is_folder and (self.root / path).exists()

    def below(self, folder: str, *endings: str) -> list[str]:
        """Files below a folder whose names end so."""
        prefix = f"{folder.strip('/')}/" if folder.strip("/") else ""
        return [
            path for path in self.sizes if path.startswith(prefix) and (not endings or path.lower().endswith(endings))
        ]

    def folders(self, depth: int) -> "Iterator[tuple[str, SourceTree]]":
        """The folders down to a depth that hold files, each as a tree of its own; none of a source in one file."""
        inside: dict[str, dict[str, int]] = defaultdict(dict)
        for path, size in self.sizes.items() if self.is_folder else ():
            parts = path.split("/")
            for count in range(1, min(depth + 1, len(parts))):
                inside["/".join(parts[:count])]["/".join(parts[count:])] = size
        for folder in sorted(inside):
            yield folder, SourceTree(self.root / folder, inside[folder])

    def read(self, path: str, limit: int = TEXT_BYTES) -> bytes:
        """The bytes of a file. Raises ``ImportRefusedError``."""
        size = self.sizes.get(path)
        if size is None:
            raise ImportRefusedError(f"there is no file {path}")
        if size > limit:
            raise ImportRefusedError(f"has {size:,} bytes; at most {limit:,} are read")
        if self._packed is None:
            try:
                return read_bytes(self.root, ContentFile(path, size, 0), limit)
            except Faults as faults:
                raise ImportRefusedError(faults.faults[0].message) from None
        try:
            with self._packed.open(path) as opened:
                data = opened.read(limit + 1)
        except (BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError, ValueError) as error:
            raise ImportRefusedError(f"cannot be unpacked: {error}") from None
        if len(data) > limit:
            raise ImportRefusedError(f"has over {limit:,} bytes")
        return data

    def text(self, path: str, limit: int = TEXT_BYTES) -> str:
        """The text of a file with plain line feeds; what is no clean text is repaired and noted."""
        text, repair = readable(self.read(path, limit))
        if repair:
            self.repaired[path] = repair
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        clean = text.translate(_UNWANTED)
        if clean != text:
            self.repaired.setdefault(path, "control characters were left out")
        return clean

    def tools(self) -> tuple[str, ...]:
        """The tools that the source is written for, by its files."""
        return tools_of(self.tool_files.has, self.tool_files.text)

    @property
    def tool_files(self) -> ToolFiles:
        """The files as tools see them."""
        return _ToolFiles(self)

    def public_rules(self, tool: str) -> PublicRules:
        """What the tools of the site do not publish; ``tool`` is the one that it is read as."""
        return PublicRules(self.tool_files, (tool,))


class _ToolFiles:
    """The files of a site as its tools see them."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree, self.paths = tree, frozenset(tree.sizes)

    def has(self, path: str) -> bool:
        """Whether there is a file or folder, hidden ones too."""
        return self._tree.has(path)

    def text(self, path: str) -> str | None:
        """The text of a file; ``None`` where it cannot be read."""
        tree = self._tree
        if path not in self.paths:  # a hidden file, or none
            is_there = tree.is_folder and not (tree.root / path).is_symlink()
            return FolderFiles(tree.root.resolve(), []).text(path) if is_there else None
        try:
            return tree.text(path)
        except ImportRefusedError:
            return None


def open_tree(source: Path) -> SourceTree:
    """The files of a source. Raises ``ImportRefusedError``."""
    if source.is_dir():
        root = source.resolve()
        files, faults = scan(root)
        wanted = list(unpublished.find_publishable(root, files))
        tree = SourceTree(root, {file.path: file.size for file in wanted if is_utf8(file.path)})
        odd = (printable_path(file.path) for file in wanted if file.path not in tree.sizes)
        tree.repaired |= dict.fromkeys(odd, "left out: its name is not UTF-8")
        tree.skipped |= {fault.place.file: fault.message for fault in faults} | dict(tree.repaired)
        tree.skipped |= _passed_over(root, {file.path for file in files} - {file.path for file in wanted})
        return tree
    if not source.exists():
        raise ImportRefusedError(f"{source} does not exist")
    if zipfile.is_zipfile(source) or (source.is_file() and source.suffix.lower() == ".zip"):
        return _packed(source)
    return SourceTree(source.resolve().parent, {source.name: source.stat().st_size}, alone=source.name)


def _passed_over(root: Path, ignored: set[str]) -> Iterator[tuple[str, str]]:
    """What a walk leaves out, with the reasons; a folder that is not looked into counts as one."""
    for folder, inner, names in os.walk(root):
        below = Path(folder).relative_to(root).as_posix().removeprefix(".")
        for name in (*inner, *names):
            path = posixpath.join(below, name)
            if name.startswith("."):
                yield printable_path(path), "a hidden name"
            elif unpublished.foreign(f"{name}/"):
                yield printable_path(path), "code of others"
            elif path in ignored:
                yield printable_path(path), "`.gitignore` names it"
        inner[:] = [name for name in inner if not name.startswith(".") and not unpublished.foreign(f"{name}/")]


def _packed(source: Path) -> SourceTree:
    try:
        packed = ZipFile(source)
    except (BadZipFile, OSError, ValueError) as error:
        raise ImportRefusedError(f"{source} is a damaged ZIP file: {error}; pack it again, or name a folder") from None
    members = packed.infolist()
    if len(members) > ARCHIVE_FILES or sum(member.file_size for member in members) > ARCHIVE_BYTES:
        raise ImportRefusedError(f"{source} unpacks to over {ARCHIVE_FILES:,} files or {ARCHIVE_BYTES:,} bytes")
    sizes = {member.filename: member.file_size for member in members if not member.is_dir() and _wanted(source, member)}
    shared = _shared_folder(sizes)
    if not shared:
        return SourceTree(source, sizes, packed)
    return SourceTree(source, {path.removeprefix(shared): size for path, size in sizes.items()}, _Inner(packed, shared))


def _wanted(source: Path, member: ZipInfo) -> bool:
    """Whether a member is read. Raises ``ImportRefusedError`` where its name or type could lead elsewhere."""
    name, mode = member.filename, member.external_attr >> 16
    parts = PurePosixPath(name).parts
    if name.startswith("/") or "\\" in name or ".." in parts or ":" in name.partition("/")[0] or stat.S_ISLNK(mode):
        raise ImportRefusedError(f"{source} holds {name[:80]!r}, which leads out of it; it is not imported")
    if member.file_size > RATIO * max(member.compress_size, 1_024):
        raise ImportRefusedError(f"{source} holds {name[:80]!r}, which unpacks to over {RATIO} times its size")
    return not any(part.startswith(".") or part == "__MACOSX" for part in parts) and not unpublished.foreign(name)


def _shared_folder(paths: Iterable[str]) -> str:
    """The folder that holds all files, with its slash; nothing where there is none."""
    shared = posixpath.commonpath([posixpath.dirname(path) for path in paths] or [""])
    return f"{shared.partition('/')[0]}/" if shared else ""


class _Inner(ZipFile):
    """A ZIP file as seen from its one folder."""

    def __init__(self, packed: ZipFile, folder: str) -> None:
        self._whole, self._folder = packed, folder

    def open(self, name: str, *_words: object, **_more: object):  # type: ignore[no-untyped-def,override]  # noqa: ANN202
        """The member of that name below the folder."""
        return self._whole.open(self._folder + name)
