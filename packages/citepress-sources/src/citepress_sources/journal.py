"""The journal of checks in the state folder: one line for each, appended at once, so that a killed run is resumed."""

import os
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from citepress.base.errors import CitepressError
from citepress.contract.model import Model, Moment, OneLine
from citepress.contract.observation import DigestText, Share, SourceStatus

JOURNAL_FILE = "journal.jsonl"
COMPACT = 4
"""How many lines for each source the journal may hold before it is written anew."""


class JournalError(CitepressError):
    """The journal cannot be read or written; the sentence says why."""


class KeptText(Model):
    """A capture in the store."""

    name: str
    """Its name among the objects."""
    at: Moment
    """When it was made."""
    digest: DigestText
    """Of the bytes of the answer."""
    text_digest: DigestText | None = None
    """Of its readable text; null where it has none."""
    title: OneLine | None = None
    """The title that it gives itself."""
    dated: OneLine | None = None
    """The date that it gives itself."""
    language: OneLine | None = None
    """The language that it says it is in."""


class SourceCheck(Model):
    """What is known of a source after a check."""

    url: str
    """Normalised address."""
    at: Moment
    """When it was asked."""
    status: SourceStatus
    """What was found."""
    reason: OneLine | None = None
    """Why it was blocked or unreachable."""
    moved_to: str | None = None
    """The address that answered, where a redirect led elsewhere."""
    reference: KeptText | None = None
    """The capture that later ones are compared with."""
    newest: KeptText | None = None
    """The newest capture: the reference, or one that differs from it."""
    changed_share: Share | None = None
    """How much of the newest text differs from that of the reference."""
    run: str = ""
    """The run that made the check."""


class Journal:
    """The last check of each source."""

    def __init__(self, folder: Path) -> None:
        """``folder`` is created by the first check. Raises ``JournalError``."""
        self._path = folder / JOURNAL_FILE
        self.checks: dict[str, SourceCheck] = {}
        """By the normalised address of the source."""
        self.unfinished = ""
        """The name of a run that was broken off; empty where the last one ended."""
        self._lines = 0
        for line in self._read():
            self._take(line)

    def _read(self) -> Iterator[bytes]:
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise JournalError(f"{self._path} cannot be read: {error.strerror}") from None
        whole = data.rpartition(b"\n")[0]  # what follows the last line break was being written when its run was killed
        yield from filter(None, whole.split(b"\n"))

    def _take(self, line: bytes) -> None:
        self._lines += 1
        if line.startswith((b"run ", b"end ")):
            self.unfinished = line[4:].decode("ascii", "replace") if line.startswith(b"run ") else ""
            return
        try:
            check = SourceCheck.model_validate_json(line)
        except ValidationError:
            return  # a damaged line: its source is asked again
        self.checks[check.url] = check

    def begin(self, run: str) -> None:
        """Note that a run begins."""
        if self._lines > COMPACT * (len(self.checks) + 10):
            self._compact()
        self._append(f"run {run}".encode())

    def end(self, run: str) -> None:
        """Note that a run has ended."""
        self.unfinished = ""
        self._append(f"end {run}".encode())

    def add(self, check: SourceCheck) -> None:
        """Keep a check."""
        self.checks[check.url] = check
        self._append(check.model_dump_json(exclude_defaults=True).encode())

    def _append(self, line: bytes) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                # A line that a killed run left unfinished must not swallow this one.
                size = os.fstat(descriptor).st_size
                torn = size and os.pread(descriptor, 1, size - 1) != b"\n"
                os.write(descriptor, (b"\n" if torn else b"") + line + b"\n")
            finally:
                os.close(descriptor)
        except OSError as error:
            raise JournalError(f"{self._path} cannot be written: {error.strerror}") from None
        self._lines += 1

    def _compact(self) -> None:
        """Write the last check of each source alone, in one step."""
        part = self._path.with_suffix(".part")
        try:
            with part.open("wb") as file:
                for check in self.checks.values():
                    file.write(check.model_dump_json(exclude_defaults=True).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
            part.chmod(0o600)
            part.replace(self._path)
        except OSError as error:
            raise JournalError(f"{self._path} cannot be written: {error.strerror}") from None
        self._lines = len(self.checks)
