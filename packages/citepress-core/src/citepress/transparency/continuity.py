"""Whether the log and the key of a publisher go on from the edition that it published last."""

from collections.abc import Sequence
from pathlib import Path

from citepress.base.errors import CitepressError
from citepress.transparency.entries import EditionLogError, LogEntry, entry_of
from citepress.transparency.heads import LogHead
from citepress.transparency.merkle import leaf_hash, root_of
from citepress.transparency.signing import FORMER_KEY_FILE, KEY_FILE, signing_keys

_REMEDY = (
    "restore your copy of it, or say --break-history once to go on without it, which readers who knew the former"
    " head or key are warned of"
)


class BrokenHistoryError(CitepressError, ValueError):
    """A log or a key that does not go on from what was published; the sentence names the file and the way out."""


def continued(lines: Sequence[bytes], head: LogHead | None, file: Path) -> list[bytes]:
    """The entries of a log that goes on from the head of the published edition, if there is one.

    The newest entry of that head is put back where only it is missing: the head has it. Raises ``BrokenHistoryError``.
    """
    held, size = list(lines), head.newest.number if head else 0
    if head and len(held) == size - 1:
        held.append(head.entry.encode())
    former: LogEntry | None = None
    for number, line in enumerate(held, 1):
        former = _next(line, former, f"{file}, line {number}")
    if len(held) < size:
        raise broken(f"{file}, line {len(held) + 1}", f"it ends before entry {size}, which was published")
    if head and root_of([leaf_hash(line) for line in held[:size]]).hex() != head.root:
        if held[size - 1] != head.entry.encode():
            raise broken(f"{file}, line {size}", "the entry is another one than was published")
        raise broken(f"{file}, lines 1 to {size}", "an entry was changed after it was published")
    return held


def check_keys(state: Path, head: LogHead | None, *, logged: bool) -> None:
    """Make sure that a key which signed the published head is in the state folder, where anything is ``logged``.

    Raises ``BrokenHistoryError``, and ``SigningError`` where a key cannot be used.
    """
    file = state / KEY_FILE
    if not file.exists() and not (state / FORMER_KEY_FILE).exists():
        if head or logged:
            raise broken(str(file), "the key is lost that signs the log of editions")
        return
    if head and {key.public for key in signing_keys(state)}.isdisjoint(head.keys):
        raise broken(str(file), f"it is another key than the one that signed edition {head.newest.number}")


def broken(place: str, reason: str) -> BrokenHistoryError:
    """That a file does not go on from what was published: where, why, and the way out."""
    return BrokenHistoryError(f"{place}: {reason}; nothing new is published. {_REMEDY[0].upper()}{_REMEDY[1:]}")


def _next(line: bytes, former: LogEntry | None, place: str) -> LogEntry:
    """The entry of a line that follows another one. Raises ``BrokenHistoryError``."""
    try:
        entry = entry_of(line)
    except EditionLogError:
        raise broken(place, "the entry cannot be read") from None
    expected = (former.number + 1, former.digest) if former else (1, None)
    if (entry.number, entry.previous) != expected:
        raise broken(place, "the entry does not follow on the one before it")
    return entry
