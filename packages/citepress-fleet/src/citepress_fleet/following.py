"""Follows the pointer of an object store: downloads what is new, verifies it, and lets the workers of a server swap."""

import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from citepress.base import fast_json
from citepress.base.canonical import digest
from citepress.base.errors import CitepressError
from citepress.base.replaced_file import replace_file
from citepress.edition.edition import Edition, needs_repair, open_edition, pointer
from citepress.edition.pack import PackError, forget_damage, open_layers
from citepress.stores.local.overlay import LocalOverlay
from citepress.transparency.heads import MEMBER, LogHead
from citepress_fleet.manifest import (
    INDEX,
    LOGS,
    MANIFEST_BYTES,
    PACKS,
    POINTER,
    POINTER_BYTES,
    REPORTS,
    EditionManifest,
    ManifestError,
    ReportsFile,
    SignatureError,
    StoredFile,
    manifest_name,
    read_manifest,
    read_pointer,
    signer,
)
from citepress_objects.port import ObjectStore, ObjectStoreError

POLL_S = 2.0
"""Seconds between two looks at the pointer."""
MAX_RETRY_S = 30.0
"""Seconds to which this grows while the newest edition is refused or cannot be had."""
SERVER_FILE = "server.json"
"""File in the state folder: the pinned key, and the highest number that was served."""
DOWNLOAD_PIECE_BYTES = 1 << 20


class RefusedEditionError(CitepressError):
    """The edition must not be served: it is older, or signed by somebody else, or damaged."""


@dataclass(frozen=True, slots=True)
class Trust:
    """Which editions a server takes."""

    key: str | None = None
    """The publisher's public key; without it the first one that is seen is pinned."""
    unsigned: bool = False
    """Whether unsigned editions are served too."""
    older: bool = False
    """Whether an edition may be replaced by one with a lower number."""


class EditionFollower:
    """Keeps the edition in a state folder the one that a store names; the last good one stays whatever happens."""

    def __init__(
        self,
        objects: ObjectStore,
        state: Path,
        index: str,
        trust: Trust,
        note: Callable[[str], object],
        number: int | None = None,
        reports: LocalOverlay | None = None,
        *,
        warn: Callable[[str], object] | None = None,
    ) -> None:
        """``index`` is the folder of the search index in the state folder; ``warn`` gets what ``note`` gets otherwise.

        ``number`` names an edition to stay with, instead of the current one; ``reports`` are kept only where this
        server does not count for itself.
        """
        self._objects = objects
        self._state = state
        self._index = index
        self._trust = trust
        self._note = note
        self._warn = warn or note
        self._number = number
        self._reports = reports
        self._tag: str | None = None
        self._failure = ""
        self._wait = POLL_S
        self._checked: set[str] = set()
        """Files of this state folder whose bytes were compared with their digests by this process."""

    def look(self) -> bool:
        """Take over the newest edition if there is another; whether there was. Failures are reported, each once."""
        try:
            changed = self._look()
        except (CitepressError, OSError, ValueError) as error:
            sentence = f"The newest edition cannot be served: {error}"
            if sentence != self._failure:
                self._warn(sentence)
            self._failure, self._wait = sentence, min(MAX_RETRY_S, self._wait * 2)
            return False
        if self._failure:
            self._note(f"{self._objects.target} can be followed again.")
        self._failure, self._wait = "", POLL_S
        return changed

    def run(self, stopped: threading.Event) -> None:
        """Look again and again until stopped."""
        while not stopped.wait(self._wait):
            self.look()

    def served(self) -> Edition | None:
        """The edition that the state folder holds; ``None`` while there is none."""
        try:
            return open_edition(pointer(self._state))
        except PackError:
            return None

    def _look(self) -> bool:
        if needs_repair(pointer(self._state)):
            self._tag = None
            self._checked.clear()
        if self._number is not None and self._tag is not None:
            return False  # a numbered edition never changes
        number, expected, tag = self._number, None, ""
        if number is None:
            stored = self._objects.get(POINTER, POINTER_BYTES, self._tag)
            if stored is None:
                return False
            named = read_pointer(stored.data)
            number, expected, tag = named.number, named.digest, stored.tag
        manifest, key = self._verified(number, expected)
        changed = self._take(manifest)
        self._remember(key, manifest.number)
        self._tag = tag
        return changed

    def _verified(self, number: int, expected: str | None) -> tuple[EditionManifest, str | None]:
        """The manifest of an edition that may be served, and the key that signed it."""
        name = manifest_name(number)
        stored = self._objects.get(name, MANIFEST_BYTES)
        if stored is None:
            raise ObjectStoreError(f"{self._objects.target} gave no {name}")
        if expected and digest(stored.data) != expected:
            raise RefusedEditionError(f"{name} is not the manifest that {POINTER} names: it was changed")
        manifest, document = read_manifest(name, stored.data)
        if manifest.number != number:
            raise RefusedEditionError(f"{name} says that it is edition {manifest.number}")
        key, memory = signer(name, document), self._memory()
        if key is None and not self._trust.unsigned:
            raise SignatureError(f"{name} is not signed (--allow-unsigned serves it all the same)")
        trusted = self._trust.key or memory.get("key")
        if key is not None and trusted and key != trusted:
            raise SignatureError(
                f"{name} is signed with {key}, and this server trusts {trusted}: if the publisher has a new key,"
                " name it in CITEPRESS_EDITION_KEY"
            )
        highest = memory.get("number", 0) if memory.get("target") == self._objects.target else 0
        if self._number is None and number < highest and not self._trust.older:
            raise RefusedEditionError(
                f"{POINTER} names edition {number}, which is older than edition {highest}, which was served already"
                " (--allow-older serves it all the same)"
            )
        if key is not None and not trusted:
            self._note(f"Pinned the publisher's key {key}, seen for the first time; CITEPRESS_EDITION_KEY names it.")
        return manifest, key

    def _take(self, manifest: EditionManifest) -> bool:
        """Bring every file of an edition into the state folder and point to it."""
        pointed = pointer(self._state)
        pointed.parent.mkdir(parents=True, exist_ok=True)
        names = [f"{file.sha256}.pack" for file in manifest.layers]
        damaged = needs_repair(pointed)
        for name, file in zip(names, manifest.layers, strict=True):
            self._bring(PACKS, file, pointed.parent / name)
            forget_damage(pointed.parent / name)
        Edition(open_layers([pointed.parent / name for name in names]))  # raises where this version cannot read it
        logs = [f"{file.sha256}.log" for file in manifest.log.files] if manifest.log else []
        for name, file in zip(logs, manifest.log.files if manifest.log else (), strict=True):
            self._bring(LOGS, file, pointed.parent / name)
        self._bring_index(manifest)
        if manifest.reports and self._reports:
            self._bring_reports(manifest.reports, self._reports)
        former = _pointer_members(pointed)
        if _goes_back(manifest, former, names):
            for name in names:  # they are older than what clients hold of the edition that is left
                os.utime(pointed.parent / name)
        # A file that was downloaded anew has the name of the damaged one, and servers open it when the pointer changes.
        if former.get("layers") == names and former.get("manifest") == manifest.number and not damaged:
            return False
        replace_file(
            pointed,
            orjson.dumps(
                {
                    "digest": manifest.digest,
                    "manifest": manifest.number,
                    "created": manifest.created,
                    "layers": names,
                    MEMBER: _log_members(manifest, logs),
                },
                option=orjson.OPT_APPEND_NEWLINE,
            ),
        )
        former_head = LogHead.of(former.get(MEMBER))
        needed = {*names, *former.get("layers", ()), *logs, *(former_head.files if former_head else ())}
        for path in pointed.parent.iterdir():
            if path.suffix in {".pack", ".units", ".part", ".log"} and path.name not in needed:
                path.unlink(missing_ok=True)
        return True

    def _bring_index(self, manifest: EditionManifest) -> None:
        """Make the folder of the search index that of an edition, in one step; what is here already is linked."""
        folder = self._state / self._index
        part, old = folder.with_name(folder.name + ".part"), folder.with_name(folder.name + ".old")
        wanted = {Path(file.path): file for file in manifest.index}
        present = {path.relative_to(folder): path for path in _files(folder)}
        if {path: file.sha256 for path, file in wanted.items()} == {
            path: self._digest_of(file) for path, file in present.items()
        }:
            return
        alike = {self._digest_of(file): file for file in present.values()}
        for left in (part, old):
            shutil.rmtree(left, ignore_errors=True)
        for path, file in wanted.items():
            target = part / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if here := alike.get(file.sha256):
                os.link(here, target)
            else:
                self._bring(INDEX, file, target)
        if folder.exists():
            folder.rename(old)
        part.rename(folder)
        shutil.rmtree(old, ignore_errors=True)

    def _bring_reports(self, file: ReportsFile, reports: LocalOverlay) -> None:
        if (reports.newest() or 0) >= file.generation:
            return
        target = self._state / f"{file.sha256}.reports"
        try:
            self._bring(REPORTS, file, target)
            reports.put(file.generation, file.as_of, target.read_bytes())
        finally:
            target.unlink(missing_ok=True)

    def _bring(self, folder: str, file: StoredFile, target: Path) -> None:
        """Download a file unless it is here; it has its name only if every byte is what the manifest says."""
        if target.exists():
            if str(target) in self._checked or self._digest_of(target) == file.sha256:
                self._checked.add(str(target))
                return
            self._warn(f"{target.name} was damaged on this disk and is downloaded again.")
            target.unlink()
        name, part = f"{folder}/{file.sha256}", target.with_name(target.name + ".part")
        hashed, size = hashlib.sha256(), 0
        try:
            with part.open("wb") as written:
                for piece in self._objects.download(name, file.size):
                    size += len(piece)
                    if size > file.size:
                        break
                    hashed.update(piece)
                    written.write(piece)
            if size != file.size:
                more = "more than" if size > file.size else f"{size:,} instead of"
                raise RefusedEditionError(
                    f"{name} of {self._objects.target} is damaged: it has {more} {file.size:,} bytes"
                )
            if hashed.hexdigest() != file.sha256:
                raise RefusedEditionError(
                    f"{name} of {self._objects.target} is damaged: its bytes do not fit its digest"
                )
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        self._checked.add(str(target))

    def _digest_of(self, file: Path) -> str:
        hashed = hashlib.sha256()
        with file.open("rb") as opened:
            while piece := opened.read(DOWNLOAD_PIECE_BYTES):
                hashed.update(piece)
        return hashed.hexdigest()

    def _memory(self) -> dict[str, Any]:
        try:
            memory = fast_json.loads((self._state / SERVER_FILE).read_bytes())
        except FileNotFoundError:
            return {}
        except ValueError:
            memory = None
        if not _is_memory(memory):
            # To go on as if nothing had been pinned would trust whoever signs next.
            raise ManifestError(
                f"{self._state / SERVER_FILE} is damaged, so whom this server trusts is not known: restore the file; or"
                " delete it, with the publisher's key in CITEPRESS_EDITION_KEY, to begin anew"
            )
        return dict(memory)

    def _remember(self, key: str | None, number: int) -> None:
        """Keep what later editions are judged by."""
        former = self._memory()
        highest = former.get("number", 0) if former.get("target") == self._objects.target else 0
        if self._trust.older:
            highest = 0
        memory = {
            "target": self._objects.target,
            "key": key or former.get("key"),
            "number": max(highest, number if self._number is None else 0),
        }
        if memory != former:
            replace_file(self._state / SERVER_FILE, orjson.dumps(memory, option=orjson.OPT_APPEND_NEWLINE))


def _is_memory(memory: object) -> bool:
    return (
        isinstance(memory, dict)
        and isinstance(memory.get("target"), str)
        and isinstance(memory.get("key", 0), str | None)
        and type(memory.get("number")) is int
    )


def _log_members(manifest: EditionManifest, files: Sequence[str]) -> Mapping[str, Any] | None:
    """The head of the log as the pointer carries it; ``None`` where the edition has none."""
    return {**manifest.log.model_dump(), "files": list(files)} if manifest.log else None


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")


def _goes_back(manifest: EditionManifest, former: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Whether leaves may be again what they were in an edition before the one that was served.

    An edition that follows the one before leaves packs out too, but only those that it has merged into a new one.
    """
    follows = manifest.rollback_to is None and manifest.number == former.get("manifest", 0) + 1
    return not follows and not {*former.get("layers", ())} <= {*names}


def _pointer_members(pointed: Path) -> Mapping[str, Any]:
    try:
        members = fast_json.loads(pointed.read_bytes())
    except (OSError, ValueError):
        return {}
    return members if isinstance(members, dict) else {}
