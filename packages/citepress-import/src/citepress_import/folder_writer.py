"""Writes an import into a content folder: what an author edited stays, and a second run changes nothing."""

import json
import os
import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from citepress_import.conversion import Converted
from citepress_import.errors import ImportRefusedError
from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree

MANIFEST = ".citepress-import.json"
"""Digests of what an import wrote, and the days that it gave to undated pages; a hidden file, so no content."""
MANIFEST_BYTES = 67_108_864


@dataclass(frozen=True)
class ImportManifest:
    """What earlier imports wrote into a folder."""

    digests: Mapping[str, str]
    import_days: Mapping[str, str]


def read_manifest(folder: Path) -> ImportManifest:
    """What earlier imports wrote; nothing where there was none. Raises ``ImportRefusedError``."""
    path = folder / MANIFEST
    if not path.exists():
        return ImportManifest({}, {})
    try:
        with path.open("rb") as opened:
            members = json.loads(opened.read(MANIFEST_BYTES))
        return ImportManifest(
            {str(name): str(digest) for name, digest in members["files"].items()},
            {str(name): str(day) for name, day in members["import_days"].items()},
        )
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise ImportRefusedError(f"{path} cannot be read; delete it to import into this folder anew") from None


def contents(converted: Converted, tree: SourceTree) -> Iterable[tuple[str, bytes]]:
    """Every file of an import with its bytes."""
    yield from converted.files.items()
    for name, source in converted.copies.items():
        yield name, tree.read(source, max(tree.sizes[source], 1))


def stage(converted: Converted, tree: SourceTree, folder: Path) -> None:
    """Write an import into an empty folder that nobody else reads."""
    for parent in {posixpath.dirname(name) for name in (*converted.files, *converted.copies)}:
        (folder / parent).mkdir(parents=True, exist_ok=True)
    for name, data in contents(converted, tree):
        (folder / name).write_bytes(data)


def stage_again(converted: Converted, names: Iterable[str], folder: Path) -> None:
    """Write files anew that changed since they were staged, or take them away."""
    for name in names:
        if name in converted.files:
            (folder / name).write_bytes(converted.files[name])
        else:
            (folder / name).unlink(missing_ok=True)


def write_changes(
    converted: Converted, tree: SourceTree, folder: Path, manifest: ImportManifest, report: ImportReport
) -> None:
    """Bring a folder up to date. A file that an author wrote or edited stays as it is and is reported.

    An interrupted run is completed by the next: digests are written before the files.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ImportRefusedError(f"{folder} is not a folder")
    digests = dict(manifest.digests)
    wanted: dict[str, bytes] = {}
    for name, data in contents(converted, tree):
        present = _present(folder / name)
        digest = _digest(data)
        if present in ("", digest) or present == manifest.digests.get(name):
            digests[name] = digest
            if present == digest:
                report.files["unchanged"] += 1
            else:
                wanted[name] = data
        else:
            report.edited.append(name)
    gone = _gone(folder, manifest, converted, report)
    folder.mkdir(parents=True, exist_ok=True)
    members = {"files": {name: digests[name] for name in sorted(digests) if name not in gone}}
    days = {"import_days": {**manifest.import_days, **converted.import_days}}
    _write(folder / MANIFEST, json.dumps(members | days, indent=1, ensure_ascii=False).encode())
    for name, data in wanted.items():
        _write(folder / name, data)
    report.files["written"] = len(wanted)


def _gone(folder: Path, manifest: ImportManifest, converted: Converted, report: ImportReport) -> set[str]:
    """Remove unedited files of earlier imports whose source is gone."""
    gone = set(manifest.digests) - converted.files.keys() - converted.copies.keys()
    for name in sorted(gone):
        present = _present(folder / name)
        if present and present == manifest.digests[name]:
            (folder / name).unlink()
            report.removed.append(name)
        elif present:
            report.edited.append(name)
    return gone


def _present(path: Path) -> str:
    """The digest of a file, empty where there is none; a link or a folder is never ours."""
    if path.is_symlink() or path.is_dir():
        return "not a file"
    try:
        return _digest(path.read_bytes())
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ImportRefusedError(f"{path} cannot be read: {error.strerror}") from None


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _write(path: Path, data: bytes) -> None:
    """Write a file in one step, so that an interrupted run leaves no half of it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        part.write_bytes(data)
        os.replace(part, path)  # noqa: PTH105  (the same, and named as what it is: a replacement)
    except OSError as error:
        raise ImportRefusedError(f"{path} cannot be written: {error.strerror}") from None
