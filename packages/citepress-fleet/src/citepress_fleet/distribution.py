"""Publishing to an object store and serving from one: what the commands compose from distribution and the stores."""

import hashlib
import logging
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from citepress.admin.build import BuildResult
from citepress.content.settings_file import read_deployment
from citepress.contract.site import Deployment
from citepress.edition.edition import Edition, open_edition
from citepress.edition.overlay import generations, overlay_pointer, pack_name
from citepress.edition.pack import Pack, PackError
from citepress.edition.verification.tree import tree_of
from citepress.history.edition_journal import EditionJournal
from citepress.history.state_files import EDITIONS_LOG
from citepress.hooks import results
from citepress.search.state import BUILD_STATE, INDEX_FOLDER
from citepress.settings import Settings, SettingsError, keep_deployment
from citepress.stores.local.overlay import LocalOverlay
from citepress.transparency.log_file import LogFile
from citepress.transparency.public_keys import public_bytes
from citepress.transparency.signing import existing_key, signing_key, signing_keys
from citepress_fleet.following import EditionFollower, Trust
from citepress_fleet.manifest import (
    FORMAT,
    INDEX,
    PACKS,
    REPORTS,
    EditionManifest,
    IndexFile,
    ReportsFile,
    StoredFile,
    StoredTree,
)
from citepress_fleet.publishing import EditionContent, EditionList, EditionStore
from citepress_objects import open_objects

log = logging.getLogger(__name__)


class FileDigests:
    """SHA-256 of files that do not change under their name, size and time, each read once."""

    def __init__(self) -> None:
        self._digests: dict[tuple[str, int, int], str] = {}

    def of(self, path: Path) -> str:
        """The digest of a file in hexadecimal."""
        state = path.stat()
        name = (str(path), state.st_size, state.st_mtime_ns)
        if name not in self._digests:
            with path.open("rb") as file:
                self._digests[name] = hashlib.file_digest(file, "sha256").hexdigest()
        return self._digests[name]


def edition_store(settings: Settings, target: str, *, sole: bool = False) -> tuple[EditionStore, str, bool]:
    """The editions of a target, the public half of the key that signs them, and whether that key is new.

    Raises ``SigningError`` and ``ObjectStoreError``.
    """
    objects = open_objects(target)
    key, created = signing_key(settings.state)
    log = LogFile(settings.state / EDITIONS_LOG)
    return EditionStore(objects, signing_keys(settings.state), log, sole=sole), key.public, created


def existing_editions(state: Path, target: str) -> EditionStore:
    """The editions of a target for a publisher that has its key already. Raises as ``edition_store`` does."""
    existing_key(state)
    return EditionStore(open_objects(target), signing_keys(state), LogFile(state / EDITIONS_LOG))


def edition_list(target: str) -> EditionList:
    """The editions of a target as anybody can list them. Raises ``ObjectStoreError``."""
    return EditionList(open_objects(target))


def edition_content(
    settings: Settings, output: Path, built: BuildResult, moment: datetime, digests: FileDigests
) -> EditionContent:
    """What a built edition consists of: its packs, the search index beside it, and the newest reports."""
    edition = open_edition(built.pointer)
    files: dict[str, Path] = {}
    layers = [_stored(PACKS, layer.path, files, digests) for layer in edition.layers]
    index = []
    for path in _index_files(output / INDEX_FOLDER):
        stored = _stored(INDEX, path, files, digests)
        index.append(IndexFile(**stored.model_dump(), path=path.relative_to(output / INDEX_FOLDER).as_posix()))
    manifest = EditionManifest(
        number=1,
        previous=None,
        created=moment.replace(microsecond=0),
        reader=FORMAT,
        base_url=edition.config.base_url,
        digest=edition.digest,
        layers=layers,
        index=index,
        tree=StoredTree(**asdict(tree)) if (tree := tree_of(edition.layers[0].notes)) else None,
        reports=_reports(settings, edition, files, digests),
    )
    return EditionContent(manifest, files)


def remember_number(output: Path, manifest: EditionManifest) -> None:
    """Remember the number under which an edition of an output was published, where that can be written."""
    try:
        EditionJournal(output).note_number(manifest.digest, manifest.number, manifest.created)
    except OSError as error:
        log.warning("the number of this edition is not remembered: %s", error)


def edition_follower(
    settings: Settings,
    target: str,
    trust: Trust,
    deployment: Deployment,
    note: Callable[[str], object],
    warn: Callable[[str], object],
) -> EditionFollower:
    """What keeps the edition of a state folder that of a target, ``TARGET`` or ``TARGET@NUMBER``.

    Raises ``ObjectStoreError``, ``SigningError`` and ``SettingsError``.
    """
    if trust.key:
        public_bytes(trust.key)
    address, number = _numbered(target)
    keep_deployment(settings.state, deployment)
    renders = any(renders for _, renders in results("overlays", bool, settings, deployment))
    reports = None if renders else LocalOverlay(settings.state)
    return EditionFollower(open_objects(address), settings.state, INDEX_FOLDER, trust, note, number, reports, warn=warn)


def server_deployment(settings: Settings, file: Path | None) -> Deployment:
    """How a server without a content folder serves: its settings file under its environment. Raises ``Faults``."""
    return settings.deployed(read_deployment(file) if file else Deployment())


def _numbered(target: str) -> tuple[str, int | None]:
    address, at, number = target.rpartition("@")
    if not at or "/" in number:
        return target, None
    if not number.isdecimal() or not 0 < int(number) < 1 << 53:
        raise SettingsError(f"--edition {target}: write the number of an edition after @")
    return address, int(number)


def _stored(folder: str, path: Path, files: dict[str, Path], digests: FileDigests) -> StoredFile:
    stored = StoredFile(sha256=digests.of(path), size=path.stat().st_size)
    files[f"{folder}/{stored.sha256}"] = path
    return stored


def _index_files(folder: Path) -> Iterator[Path]:
    """What a search reads; the rest would be moved whole with every edit."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return (path for path in files if path.suffix != ".lock" and path.name != BUILD_STATE)


def _reports(settings: Settings, edition: Edition, files: dict[str, Path], digests: FileDigests) -> ReportsFile | None:
    """The newest reports of the state folder, where they are of this site."""
    pointed = overlay_pointer(settings.state)
    for generation in generations(pointed):
        path = pointed.parent / pack_name(generation)
        try:
            notes = Pack(path).notes
        except PackError:
            continue
        if notes["base_url"] != edition.config.base_url:
            return None
        stored = _stored(REPORTS, path, files, digests)
        return ReportsFile(**stored.model_dump(), generation=generation, as_of=notes["as_of"])
    return None
