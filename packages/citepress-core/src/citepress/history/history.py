"""What was published from a content folder: revisions of its records, from Git or the state folder, and datasets."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path

from citepress.base.errors import CitepressError
from citepress.base.folder_lock import exclusive
from citepress.base.shortage import about_shortage
from citepress.content.folder import Folder
from citepress.content.git_dates import GitError
from citepress.content.source_record import SourceRecord, Tombstone
from citepress.contract.fault import VANISHED, Fault
from citepress.contract.kind import Kind
from citepress.history.git_revisions import GitRevisions
from citepress.history.git_versions import FileVersion, GitVersions
from citepress.history.kept_revisions import KeptRevisions
from citepress.history.published_names import PublishedNames
from citepress.history.revision_numbers import GivenNumbers, HistoryError, note_given, read_given
from citepress.history.revisions import RecordRevisions
from citepress.history.state_files import NUMBERS_FILE, REVISIONS
from citepress.history.vanished_records import vanished_faults

WAIT_S = 60.0
"""How long a build waits for another one that keeps revisions in the same state folder."""
log = logging.getLogger(__name__)


class History:
    """Numbers the records of one folder and knows their revisions."""

    def __init__(self, root: Path, state: Path, kinds: Sequence[Kind]) -> None:
        self._git, self._committed = GitVersions(), GitRevisions(root.resolve(), kinds)
        self._stored, self._folder = KeptRevisions(state), state / REVISIONS
        self._given, self._highest = GivenNumbers(), 0
        self._names = PublishedNames(state)
        self._plain = False
        self._shown: Mapping[str, Sequence[FileVersion]] | None = None

    def revisions(self, folder: Folder, moment: datetime) -> dict[str, RecordRevisions]:
        """The revisions of the records of the folder, and of those that were withdrawn from it, by id.

        Raises ``HistoryError`` and ``GitError`` where what numbers them cannot be read.
        """
        if not self._committed.root.is_dir():
            return {}  # a folder that does not exist has a fault of its own, and no history
        self._names.forget()
        with _explained("read"):
            self._given, self._highest = read_given(self._folder), 0
            self._plain = folder.plain
            self._shown = self._versions()
            if self._shown is None:
                self._stored.begin(self._given)
        every = folder.site.keep_revisions
        readable = [
            gone for gone in folder.tombstones if (every if gone.keep_revisions is None else gone.keep_revisions)
        ]
        return {**self.of(folder.drafts, moment), **self._of_withdrawn(readable, moment)}

    def work_out(self, draft: SourceRecord, moment: datetime) -> None:
        """Note with a record, in the process that read it, what ``revisions`` asks of it where they are kept."""
        self._stored.work_out(draft, moment)

    def faults(self, folder: Folder) -> tuple[Fault, ...]:
        """What contradicts what was published: versions of datasets that changed, addresses that lead nowhere."""
        return self._compared(lambda: (*self._names.changed(folder), *self._vanished(folder)))

    def revised(self, faults: Iterable[Fault], folder: Callable[[], Folder], *, came: bool) -> tuple[Fault, ...]:
        """These faults, where a record came or went since; one that came ends warnings and begins none."""
        before = tuple(faults)
        others = [fault for fault in before if fault.code is not VANISHED]
        if came and len(others) == len(before):
            return before  # a comparison reads every record, and saving a new one happens often
        return (*others, *self._compared(lambda: self._vanished(folder())))

    def _compared(self, compare: Callable[[], tuple[Fault, ...]]) -> tuple[Fault, ...]:
        """What a comparison with what was published finds. A build goes on where it fails, and says so."""
        try:
            return compare()
        except (CitepressError, OSError) as error:
            log.warning("the content is not compared with what was published: %s", error)
            return ()

    def _vanished(self, folder: Folder) -> tuple[Fault, ...]:
        """Warnings about published addresses that lead nowhere any more."""
        if self._shown is None:
            return self._stored.vanished(folder)
        renamed = partial(_renamed, folder, self._shown)
        return tuple(vanished_faults(folder, self._names.records(), renamed))

    def stands(self) -> bool:
        """Whether the revisions of all records are those of the last ``revisions``, but for edits since.

        Raises ``HistoryError`` and ``GitError``.
        """
        with _explained("read"):
            return self._versions() is self._shown

    def of(self, drafts: Iterable[SourceRecord], moment: datetime) -> Mapping[str, RecordRevisions]:
        """The revisions of records of the folder by id. Raises ``HistoryError`` and ``GitError``."""
        with _explained("read"):
            if self._shown is None:
                revisions = self._stored.of(drafts, moment)
            else:
                revisions = self._committed.of(tuple(drafts), self._shown, moment)
                # Git knows commits, not which of them were published: this state folder notes that.
                # Decision "Addresses that vanish are told by the state folder".
                self._names.note(revisions)
        self._highest = max(self._highest, *(record.number for record in revisions.values()), 0)
        return revisions

    def _of_withdrawn(self, withdrawn: Sequence[Tombstone], moment: datetime) -> Mapping[str, RecordRevisions]:
        """The revisions of records that were taken back, by id; of those that have any. Raises as ``of``."""
        with _explained("read"):
            if self._shown is None:
                return self._stored.of_withdrawn(withdrawn)
            return self._committed.of_withdrawn(withdrawn, self._shown, moment)

    def keep(self, *, public: bool) -> None:
        """Keep what is about to be published, and the numbers of revisions. Raises ``HistoryError``.

        ``public``: whether the archive has a public address; without one it is only tried out.
        """
        git = self._shown is not None
        highest = max(self._given.highest, self._highest)
        now = GivenNumbers(git, highest if git else self._stored.above, highest)
        new = (not git and self._stored.has_new()) or now != self._given
        if not new and not (public and self._names.has_new()):
            return
        # One lock for all three: no other process sees revisions without the number that was given last.
        with _explained("kept"), exclusive(self._folder, WAIT_S, lambda _: None):
            # Revisions first: a process that is killed here has given numbers that the pack itself remembers.
            if not git:
                self._stored.keep()
            if now != self._given:
                self._given = note_given(self._folder, now)
            if public:
                self._keep_names()

    def _keep_names(self) -> None:
        try:
            self._names.keep()
        except (CitepressError, OSError) as error:
            # Warnings of later builds depend on these names, and no number does: readers get this edition.
            log.warning("what is published is not kept: %s", error)

    def forget_documents(self) -> None:
        """Hold no longer what revisions said: the edition that was published has it."""
        self._committed.forget_documents()

    def _versions(self) -> Mapping[str, Sequence[FileVersion]] | None:
        """The versions of files where Git holds records; notes of a plain folder are kept in the state folder.

        Raises ``GitError``, and ``HistoryError`` where Git gave the numbers before.
        """
        if self._plain:
            return None
        versions = self._git.of(self._committed.root)
        if versions and any(name.startswith("content/") for name in versions):
            return versions
        # Going on would give numbers that commits gave to other words once the history is back.
        # Decision "A history that cannot be read stops the edition".
        if self._given.git:
            raise HistoryError(
                f"records of {self._committed.root} were published with the numbers of their commits, and Git or their"
                ' whole history is missing now, or Git refuses it: bring it back, or set "git" to false in'
                f" {self._folder / NUMBERS_FILE} to number them in the state folder, from {self._given.highest + 1} on"
            )
        return None


def _renamed(folder: Folder, versions: Mapping[str, Sequence[FileVersion]]) -> dict[str, str]:
    """The ids that records had under former names of their files, and what they are called now."""
    return {
        version.path.removeprefix("content/").removesuffix(".md"): draft.id
        for draft in folder.drafts
        for version in versions.get(draft.file, ())
    }


@contextmanager
def _explained(what: str) -> Iterator[None]:
    """Raise ``HistoryError``, in one sentence, for what else than Git keeps histories from being read or kept."""
    try:
        yield
    except (GitError, HistoryError):
        raise
    except CitepressError as error:
        raise HistoryError(f"revisions of records cannot be {what}: {error}") from error
    except OSError as error:
        said = about_shortage(error) or f"{error.filename}: {error.strerror}"
        raise HistoryError(f"revisions of records cannot be {what}: {said}") from None
