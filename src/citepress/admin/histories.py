"""What was published from a content folder: revisions of its records, from Git or the state folder, and datasets."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from citepress.admin.git_revisions import GitRevisions
from citepress.admin.packed_revisions import PackedRevisions
from citepress.admin.published import Published
from citepress.admin.vanished import vanished_faults
from citepress.archive.assembled import Assembled
from citepress.base.errors import CitepressError
from citepress.content.folder import Folder
from citepress.content.git_versions import FileVersion, GitVersions
from citepress.content.kept_revisions import RecordRevisions
from citepress.content.source_record import SourceRecord, Tombstone
from citepress.contract.fault import VANISHED, Fault
from citepress.contract.kind import Kind

log = logging.getLogger(__name__)
DATED = ("content/pages/", "datasets/")
"""Folders of files that have no revisions, and whose documents are as old as their last commit."""


class Histories:
    """Numbers the records of one folder and knows their revisions."""

    def __init__(self, root: Path, state: Path, kinds: Sequence[Kind]) -> None:
        self._git, self._committed = GitVersions(), GitRevisions(root.resolve(), kinds)
        self._packed = PackedRevisions(state)
        self._published = Published(state)
        self._plain = False
        self._shown: Mapping[str, Sequence[FileVersion]] | None = None

    def with_revisions(self, folder: Folder, moment: datetime) -> Folder:
        """The folder with the revisions of its records, and when its other files were last committed."""
        self._plain, self._shown = folder.plain, self._versions()
        self._packed.forget()
        self._published.forget()
        every = folder.site.keep_revisions
        readable = [
            gone for gone in folder.tombstones if (every if gone.keep_revisions is None else gone.keep_revisions)
        ]
        versions = self._shown or {}
        committed = {path: chain[-1].moment for path, chain in versions.items() if path.startswith(DATED)}
        revisions = {**self.of(folder.drafts, moment), **self._of_withdrawn(readable, moment)}
        return replace(folder, revisions=revisions, committed=committed)

    def faults(self, folder: Folder) -> tuple[Fault, ...]:
        """What contradicts what was published: versions of datasets that changed, addresses that lead nowhere."""
        try:
            return (*self._published.changed(folder), *self._vanished(folder))
        except (CitepressError, OSError) as error:
            log.warning("the content is not compared with what was published: %s", error)
            return ()

    def revised(self, faults: Iterable[Fault], now: Assembled) -> tuple[Fault, ...]:
        """These faults, where records came or went since."""
        others = [fault for fault in faults if fault.code is not VANISHED]
        try:
            drafts = tuple(record.draft for record in now.records.values())
            return (*others, *self._vanished(replace(now.folder, drafts=drafts)))
        except (CitepressError, OSError) as error:
            log.warning("the content is not compared with what was published: %s", error)
            return tuple(others)

    def _vanished(self, folder: Folder) -> tuple[Fault, ...]:
        """Warnings about published addresses that lead nowhere any more."""
        versions = self._versions()
        if not versions:
            return self._packed.vanished(folder)
        renamed = {
            version.path.removeprefix("content/").removesuffix(".md"): draft.id
            for draft in folder.drafts
            for version in versions.get(draft.file, ())
        }
        return tuple(vanished_faults(folder, self._published.records(), renamed))

    def stands(self) -> bool:
        """Whether the revisions of all records are those of the last ``with_revisions``, but for edits since."""
        return self._versions() is self._shown

    def of(self, drafts: Iterable[SourceRecord], moment: datetime) -> Mapping[str, RecordRevisions]:
        """The revisions of records of the folder by id; empty where what is kept cannot be read."""
        if versions := self._versions():
            numbered = self._committed.of(tuple(drafts), versions, moment)
            self._published.note(numbered)
            return numbered
        try:
            return self._packed.of(drafts, moment)
        except (CitepressError, OSError) as error:
            log.warning("revisions of records are not shown: %s", error)
            return {}

    def _of_withdrawn(self, withdrawn: Sequence[Tombstone], moment: datetime) -> Mapping[str, RecordRevisions]:
        """The revisions of records that were taken back, by id; of those that have any."""
        if versions := self._versions():
            return self._committed.of_withdrawn(withdrawn, versions, moment)
        try:
            return self._packed.of_withdrawn(withdrawn)
        except (CitepressError, OSError) as error:
            log.warning("revisions of withdrawn records are not shown: %s", error)
            return {}

    def keep(self, *, public: bool) -> None:
        """Keep what is about to be published. A build goes on where that fails, and says so.

        ``public``: whether the archive has a public address; without one it is only tried out.
        """
        try:
            self._packed.keep()
            if public:
                self._published.keep()
        except (CitepressError, OSError) as error:
            log.warning("what is published is not kept: %s", error)

    def forget_documents(self) -> None:
        """Hold no longer what revisions said: the edition that was published has it."""
        self._committed.forget_documents()

    def _versions(self) -> Mapping[str, Sequence[FileVersion]] | None:
        """The versions of files where Git holds records; notes of a plain folder are kept in the state folder."""
        if self._plain:
            return None
        versions = self._git.of(self._committed.root)
        return versions if versions and any(name.startswith("content/") for name in versions) else None
