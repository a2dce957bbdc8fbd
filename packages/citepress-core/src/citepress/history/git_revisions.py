"""Revisions of records from the Git history of their folder: those that were published as they were committed."""

import hashlib
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from citepress.base.memo import memoized
from citepress.content.dialects import as_commonmark
from citepress.content.files import is_passed_over
from citepress.content.front import front_model, front_of
from citepress.content.front_mapping import front_mapping
from citepress.content.open_text import BODY_BYTES, FRONT_BYTES
from citepress.content.reread import RECORD_PATH_PARTS
from citepress.content.source_map import SourceFile, split
from citepress.content.source_record import SourceRecord, Tombstone
from citepress.content.text import TextFault, decode
from citepress.contract.fault import Faults
from citepress.contract.kind import Kind
from citepress.contract.record import Front
from citepress.history.dated_changes import DatedChange, record_history
from citepress.history.git_versions import FileVersion, texts
from citepress.history.revision_content import news, wording
from citepress.history.revisions import PublishedRevision, RecordRevisions

SHA1_DIGITS = 40
"""Characters of the name of a blob, unless the repository uses SHA-256."""
ZLIB_LEVEL = 1


class _Read(NamedTuple):
    """What is held of a version that is a record, and neither a draft nor withdrawn."""

    title: str
    digest: str
    declared: int
    changes: tuple[DatedChange, ...]
    begins: datetime
    """Since when it was shown, unless it was replaced before."""
    ends: datetime | None
    """When it was to expire."""


class GitRevisions:
    """Reads the versions of records, each of them once."""

    def __init__(self, root: Path, kinds: Iterable[Kind]) -> None:
        """``root`` is the content folder."""
        self.root, self._kinds = root, {kind.name: kind for kind in kinds}
        self._read: dict[FileVersion, _Read | None] = {}
        self._documents: dict[FileVersion, bytes] = {}

    def of(
        self, drafts: Sequence[SourceRecord], versions: Mapping[str, Sequence[FileVersion]], moment: datetime
    ) -> dict[str, RecordRevisions]:
        """The revisions of records by id, from the versions of their files."""
        chains = {draft: versions.get(draft.file, ()) for draft in drafts}
        # What was just read from the folder is not asked of Git again: most versions are the newest one.
        for draft, chain in chains.items():
            if self._stands(draft, chain) and chain[-1] not in self._read:
                self._read[chain[-1]] = self._said(chain[-1], draft.kind, draft.front, draft.body)
        self._read_all(version for chain in chains.values() for version in chain)
        return {draft.id: self._numbered(draft, chain, moment) for draft, chain in chains.items()}

    def of_withdrawn(
        self, withdrawn: Sequence[Tombstone], versions: Mapping[str, Sequence[FileVersion]], moment: datetime
    ) -> dict[str, RecordRevisions]:
        """The revisions that records had before they were taken back, by id."""
        chains = {gone.id: versions.get(gone.source_file.file, ()) for gone in withdrawn}
        self._read_all(version for chain in chains.values() for version in chain)
        published = {id_: self._published(chain, moment) for id_, chain in chains.items()}
        return {id_: revisions for id_, revisions in published.items() if revisions.published}

    def forget_documents(self) -> None:
        """Hold no longer what revisions said: an edition has it now, and Git for the next one."""
        self._documents = {}

    def _numbered(self, draft: SourceRecord, chain: Sequence[FileVersion], moment: datetime) -> RecordRevisions:
        committed, declared = self._published(chain, moment), record_history(draft.front).revision
        number = committed.number if self._stands(draft, chain) else committed.number + 1
        return replace(committed, number=max(number, declared))

    def _published(self, chain: Sequence[FileVersion], moment: datetime) -> RecordRevisions:
        """Those that were shown; the number is that of the last version."""
        number, published, before = 0, list[PublishedRevision](), tuple[DatedChange, ...]()
        for place, version in enumerate(chain):
            read = self._read[version]
            # A commit that was never public takes a number too, so that a date that passes does not renumber others.
            number = max(number + 1, read.declared if read else 0)
            following = chain[place + 1].moment if place + 1 < len(chain) else None
            if read and not version.removed and _was_shown(read, following, moment):
                notes, credits_ = news(before, read.changes)
                row = number, read.begins, read.title, notes, credits_, read.digest
                published.append(PublishedRevision(*row, partial(self._document, version)))
                before = read.changes
        return RecordRevisions(number, tuple(published))

    def _stands(self, draft: SourceRecord, chain: Sequence[FileVersion]) -> bool:
        """Whether a record is as it was committed last."""
        return bool(chain) and chain[-1].blob in self._blobs(draft, len(chain[-1].blob))

    def _blobs(self, draft: SourceRecord, length: int) -> tuple[str, ...]:
        """The names that Git may have for the bytes of a record's file, also with the line ends of another system."""
        return memoized(draft.memo, "blobs", length, lambda: tuple(self._hashed(draft.file, length)))

    def _hashed(self, file: str, length: int) -> Iterator[str]:
        try:
            data = (self.root / file).read_bytes()
        except OSError:
            return
        # On another system Git writes other line ends into the folder, and the record is the one that was committed.
        for text in dict.fromkeys((data, data.replace(b"\r\n", b"\n"))):
            named = hashlib.sha1(usedforsecurity=False) if length == SHA1_DIGITS else hashlib.sha256()
            named.update(b"blob %d\0" % len(text) + text)
            yield named.hexdigest()

    def _read_all(self, versions: Iterable[FileVersion]) -> None:
        """Read those that were not read yet, all at once."""
        read: dict[FileVersion, _Read | None] = {version: None for version in versions if version not in self._read}
        by_blob: dict[str, list[FileVersion]] = defaultdict(list)
        for version in read:
            by_blob[version.blob].append(version)
        for blob, text in texts(self.root, by_blob, FRONT_BYTES + BODY_BYTES):
            for version in by_blob[blob]:
                read[version] = self._parsed(version, text)
        self._read |= read  # not before all of them were read: Git may fail

    def _parsed(self, version: FileVersion, text: bytes) -> _Read | None:
        """A version as it was published; ``None`` for a draft, a withdrawal, and whatever is no record any more."""
        kind, parts = None, version.path.split("/")
        if (
            len(parts) == RECORD_PATH_PARTS
            and parts[0] == "content"
            and parts[2].endswith(".md")
            and not is_passed_over(parts[2])
        ):
            kind = self._kinds.get(parts[1])
        front, body = _front(kind, version.path, text) if kind else (None, "")
        return self._said(version, kind, front, body) if kind and front else None

    def _said(self, version: FileVersion, kind: Kind, front: Front, body: str) -> _Read:
        begins = max(version.moment, front.date, front.publish_date or front.date)
        said = wording(kind, front, body, begins)
        self._documents[version] = zlib.compress(said.document, ZLIB_LEVEL)
        return _Read(said.title, said.digest, said.declared, said.changes, begins, front.expiry_date)

    def _document(self, version: FileVersion) -> bytes:
        """What a version said. Raises ``LookupError``."""
        if version not in self._documents:
            for _, text in texts(self.root, (version.blob,), FRONT_BYTES + BODY_BYTES):
                self._parsed(version, text)
        return zlib.decompress(self._documents[version])


def _front(kind: Kind, path: str, text: bytes) -> tuple[Front | None, str]:
    """Front matter and text of a record; no front matter where it was not to be shown, or is at fault."""
    source_file = SourceFile(Path(), path)
    try:
        matter = split(decode(text))
        raw = front_mapping(source_file, matter)
        if raw.get("gone"):
            return None, ""
        front = front_of(front_model(kind), raw, source_file)
    except (Faults, TextFault):
        return None, ""
    return (None if front.draft or front.gone else front), as_commonmark(matter.body).text


def _was_shown(read: _Read, following: datetime | None, moment: datetime) -> bool:
    """Whether a version was public before the ``following`` one took its place, and never expired meanwhile."""
    began = read.begins < following if following else read.begins <= moment
    return began and not (read.ends and read.ends <= (following or moment))
