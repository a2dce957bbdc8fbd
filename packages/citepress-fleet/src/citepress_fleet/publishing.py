"""Publishes editions into an object store: files that are new, then the signed manifest, then the pointer to it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from citepress.base.canonical import digest
from citepress.base.errors import CitepressError
from citepress.base.text import sentence_list
from citepress.base.timestamps import rfc3339
from citepress.transparency.checkpoints import head_of
from citepress.transparency.entries import EditionTree
from citepress.transparency.log_file import LogFile, with_edition
from citepress.transparency.signing import SigningKey
from citepress.transparency.tiles import WIDTH
from citepress_fleet.manifest import (
    EDITIONS,
    FORMAT,
    INDEX,
    LOGS,
    MANIFEST_BYTES,
    PACKS,
    POINTER,
    POINTER_BYTES,
    REPORTS,
    EditionManifest,
    ManifestError,
    StoredFile,
    StoredLog,
    manifest_name,
    pointer_to,
    read_manifest,
    read_pointer,
    signer,
    write_manifest,
)
from citepress_objects.port import ListedObject, ObjectMissingError, ObjectStore, ObjectStoreError

MAX_NAMED_EDITIONS = 10
"""Editions that a sentence names."""
MAX_LEFT_MANIFESTS = 100
"""Manifests that killed publishers may have left behind the pointer."""


class PublishConflictError(CitepressError):
    """Another publisher moved the pointer meanwhile; nothing that readers see was changed."""


@dataclass(frozen=True, slots=True)
class EditionContent:
    """What is to be published: the manifest without its number, and the files by the names of their objects."""

    manifest: EditionManifest
    files: Mapping[str, Path]


@dataclass(frozen=True, slots=True)
class CurrentEdition:
    """The edition that the pointer of a store names."""

    manifest: EditionManifest
    digest: str
    """SHA-256 of its manifest."""
    tag: str
    """State of the pointer."""
    signer: str
    """Public key that signed it."""


@dataclass(frozen=True, slots=True)
class PublishedEdition:
    """What a run did."""

    manifest: EditionManifest
    uploaded: Mapping[str, int] = field(default_factory=dict)
    """The objects of its content that were new, with their sizes."""
    moved: bool = True
    """Whether the pointer was moved; not where the store had this edition already."""


@dataclass(frozen=True, slots=True)
class ListedEdition:
    """An edition of a store."""

    manifest: EditionManifest
    current: bool


@dataclass(frozen=True, slots=True)
class PrunedObjects:
    """What pruning removed, and what it will remove when it is older; sizes by name."""

    removed: Mapping[str, int]
    young: Mapping[str, int]


class EditionList:
    """The editions of one object store, as anybody can list them. Methods raise ``ObjectStoreError``."""

    def __init__(self, objects: ObjectStore) -> None:
        self.objects = objects

    def listed(self) -> list[ListedEdition]:
        """Every edition of the store, the newest first."""
        try:
            stored = self.objects.get(POINTER, POINTER_BYTES)
        except ObjectMissingError:
            stored = None
        current = read_pointer(stored.data).number if stored else 0
        return [ListedEdition(self._manifest(number)[0], number == current) for number in self._numbers()]

    def _manifest(self, number: int) -> tuple[EditionManifest, dict[str, object], bytes]:
        name = manifest_name(number)
        stored = self.objects.get(name, MANIFEST_BYTES)
        if stored is None:
            raise ObjectStoreError(f"{self.objects.target} gave no {name}")
        manifest, document = read_manifest(name, stored.data)
        return manifest, document, stored.data

    def _numbers(self) -> list[int]:
        """The numbers of the editions, the newest first."""
        return sorted(_numbered(self.objects.listing(EDITIONS)), reverse=True)


class EditionStore(EditionList):
    """The editions of one object store, as a publisher sees them. Methods raise ``ObjectStoreError``."""

    def __init__(self, objects: ObjectStore, keys: Sequence[SigningKey], log: LogFile, *, sole: bool = False) -> None:
        """``keys`` are the publisher's own and the one before, where that still counts; ``log`` is its copy of the log.

        ``sole`` takes a store that ignores conditions, where the operator knows of no other publisher.
        """
        super().__init__(objects)
        self._keys, self._key, self._log = keys, keys[0], log
        self._sole = sole

    def current(self) -> CurrentEdition | None:
        """The edition that is served; ``None`` in a new store.

        Raises ``ManifestError``, also where another key signed it: two publishers that do not share a key would make
        every server refuse one of them.
        """
        try:
            stored = self.objects.get(POINTER, POINTER_BYTES)
        except ObjectMissingError:
            return None
        if stored is None:
            raise ObjectStoreError(f"{self.objects.target} gave no {POINTER}")
        pointer = read_pointer(stored.data)
        manifest, document, data = self._manifest(pointer.number)
        if digest(data) != pointer.digest:
            raise ManifestError(f"{manifest.name} of {self.objects.target} is not the one that {POINTER} names")
        signed_by = signer(manifest.name, document) or ""
        if signed_by not in self._public():
            raise ManifestError(
                f"edition {manifest.number} of {self.objects.target} was signed with another key than this one"
                f" ({self._key.public}): copy that publisher's edition.key into the state folder"
            )
        return CurrentEdition(manifest, pointer.digest, stored.tag, signed_by)

    def publish(
        self, content: EditionContent, before_moving: Callable[[EditionManifest], object] = lambda _manifest: None
    ) -> PublishedEdition:
        """Upload what is new and move the pointer, unless the store has this edition already.

        ``before_moving`` is called when everything else is done. Raises ``PublishConflictError`` and
        ``ManifestError``.
        """
        current = self.current()
        if current and self._stands(current, content.manifest):
            return PublishedEdition(current.manifest, moved=False)
        uploaded = {}
        present = current.manifest.objects() if current else {}
        for name, size in content.manifest.objects().items():
            if present.get(name) != size and self.objects.size(name) != size:
                self.objects.upload(name, content.files[name])
                uploaded[name] = size
        manifest = self._move(content.manifest, current, before_moving)
        return PublishedEdition(manifest, uploaded)

    def roll_back(self, number: int | None, moment: datetime) -> EditionManifest:
        """Publish an earlier edition anew, the one before the current one unless another is named.

        It gets a number of its own, because servers refuse to go back: nobody who can only write to the store may
        bring back what was withdrawn.
        """
        current = self.current()
        if current is None:
            raise ManifestError(f"{self.objects.target} has no edition")
        number = self._before(current.manifest) if number is None else number
        if number == current.manifest.number:
            raise ManifestError(f"edition {number} is the current one")
        if number not in (numbers := self._numbers()):
            there = sentence_list([str(each) for each in numbers[:MAX_NAMED_EDITIONS]])
            raise ManifestError(f"{self.objects.target} has no edition {number}; its newest are {there}")
        earlier, document, _ = self._manifest(number)
        if signer(earlier.name, document) not in self._public():
            raise ManifestError(f"{earlier.name} was not signed with this key")
        for name, size in earlier.content().items():
            if self.objects.size(name) != size:
                raise ManifestError(f"edition {number} cannot be served any more: {self.objects.target} has no {name}")
        content = earlier.model_copy(update={"created": moment, "rollback_to": number, "reports": None})
        return self._move(content, current, lambda _manifest: None)

    def prune(self, keep: int, grace: timedelta, now: datetime) -> PrunedObjects:
        """Remove all but the newest editions and every object that none of the others is made of.

        Objects younger than ``grace`` stay: another publisher may be about to name them.
        """
        current = self.current()
        if current is None:
            raise ManifestError(f"{self.objects.target} has no edition")
        numbers = self._numbers()
        newer = [number for number in numbers if number >= current.manifest.number]
        spared = {current.manifest.number, *newer, *numbers[len(newer) : len(newer) + keep]}
        needed = {name for number in spared for name in self._manifest(number)[0].objects()}
        needed |= {manifest_name(number) for number in spared}
        removed, young = {}, {}
        for folder in (EDITIONS, PACKS, INDEX, REPORTS, LOGS):
            for listed in self.objects.listing(folder):
                if listed.name in needed:
                    continue
                if now - listed.modified < grace:
                    young[listed.name] = listed.size
                    continue
                self.objects.delete(listed.name)
                removed[listed.name] = listed.size
        return PrunedObjects(removed, young)

    def _move(
        self,
        content: EditionManifest,
        current: CurrentEdition | None,
        before_moving: Callable[[EditionManifest], object],
    ) -> EditionManifest:
        """Give content the next free number, store its manifest, and let the pointer name it."""
        lines = self._entries(content, current)
        log = self._stored_log(lines, content.base_url) if content.tree else None
        number = current.manifest.number if current else 0
        for _ in range(MAX_LEFT_MANIFESTS):
            number += 1
            manifest = content.model_copy(
                update={"number": number, "previous": current.digest if current else None, "reader": FORMAT, "log": log}
            )
            data = write_manifest(manifest, self._key)
            if self.objects.create(manifest.name, data) or self._is(manifest.name, data):
                break
            self._same(current)  # taken by a publisher that was killed, or by one that is faster
        else:
            raise PublishConflictError(
                f"{self.objects.target} has {MAX_LEFT_MANIFESTS} editions behind its pointer: prune it"
            )
        if not self._sole and self.objects.create(manifest.name, data):
            raise ObjectStoreError(
                f"{self.objects.target} ignores If-None-Match, so two publishers could overwrite each other's editions:"
                " choose another store, or say --sole-publisher if there is never a second one"
            )
        before_moving(manifest)
        pointer = pointer_to(manifest, data)
        if not self.objects.replace(POINTER, pointer, current.tag if current else None) and not self._is(
            POINTER, pointer
        ):
            raise PublishConflictError(_conflict(self.objects.target))
        self._log.write(lines)
        return manifest

    def _public(self) -> frozenset[str]:
        """The public halves of the keys whose editions this publisher goes on with."""
        return frozenset(key.public for key in self._keys)

    def _stands(self, current: CurrentEdition, content: EditionManifest) -> bool:
        """Whether there is nothing to publish: these files, in the log, signed with the present key."""
        logged = current.manifest.log is not None or content.tree is None
        return logged and current.signer == self._key.public and current.manifest.same_content(content)

    def _entries(self, content: EditionManifest, current: CurrentEdition | None) -> list[bytes]:
        """The entries of the log with this content; that of the store goes before the copy of this publisher."""
        stored = current.manifest.log if current else None
        lines = self._log.lines() if stored is None else self._stored_lines(stored)
        if content.tree is None:
            return lines
        tree = EditionTree(content.tree.digest, content.tree.entries, content.tree.shards)
        return with_edition(lines, tree, rfc3339(content.created))

    def _stored_lines(self, log: StoredLog) -> list[bytes]:
        data = b""
        for file in log.files:
            name = f"{LOGS}/{file.sha256}"
            stored = self.objects.get(name, file.size)
            if stored is None or digest(stored.data) != file.sha256:
                raise ManifestError(f"{name} of {self.objects.target} is damaged: its bytes do not fit its digest")
            data += stored.data
        return data.split(b"\n")[:-1]

    def _stored_log(self, lines: Sequence[bytes], base_url: str) -> StoredLog:
        """Store the entries that are new, and sign the head."""
        files = []
        for start in range(0, len(lines), WIDTH):
            data = b"".join(line + b"\n" for line in lines[start : start + WIDTH])
            file = StoredFile(sha256=digest(data), size=len(data))
            if self.objects.size(f"{LOGS}/{file.sha256}") != file.size:
                self.objects.create(f"{LOGS}/{file.sha256}", data)
            files.append(file)
        head = head_of(lines, base_url, self._keys, [])
        return StoredLog(
            entry=head.entry,
            audit_path=list(head.audit_path),
            root=head.root,
            checkpoint=head.checkpoint,
            keys=list(head.keys),
            files=files,
        )

    def _same(self, current: CurrentEdition | None) -> None:
        """Raise ``PublishConflictError`` where the pointer was moved since it was read."""
        try:
            stored = self.objects.get(POINTER, POINTER_BYTES, current.tag if current else None)
        except ObjectMissingError:
            stored = None
        if stored is not None:
            raise PublishConflictError(_conflict(self.objects.target))

    def _is(self, name: str, data: bytes) -> bool:
        """Whether an object holds these bytes: a write may have succeeded although its answer was lost."""
        try:
            stored = self.objects.get(name, max(len(data), MANIFEST_BYTES))
        except ObjectMissingError:
            return False
        return stored is not None and stored.data == data

    def _before(self, current: EditionManifest) -> int:
        """The newest edition with other content than the current one."""
        for number in self._numbers():
            if number < current.number and not self._manifest(number)[0].same_content(current):
                return number
        raise ManifestError(f"{self.objects.target} has no edition before {current.number}")


def _numbered(listing: Iterable[ListedObject]) -> Iterable[int]:
    for listed in listing:
        stem = listed.name.removeprefix(f"{EDITIONS}/").removesuffix(".json")
        if stem.isdecimal():
            yield int(stem)


def _conflict(target: str) -> str:
    return f"another publisher moved the pointer of {target} meanwhile, and its edition stays: publish again"
