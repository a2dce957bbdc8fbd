"""Reading one file again, because it is known to be the only one of its folder that changed, came or went."""

import os
import stat
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from citepress.content.cache import ReadCache
from citepress.content.files import MARKS, ContentFile, file_mark, is_passed_over
from citepress.content.observations_file import NO_OBSERVATIONS, OBSERVATIONS_FILE, Observations, read_observations
from citepress.content.parsed import Parsed, parsed
from citepress.content.source_record import SourceRecord, parse
from citepress.contract.fault import Fault
from citepress.contract.kind import Kind

RECORD_PATH_PARTS = 3
"""Parts of the path of a record: ``content/<kind>/<file>``."""


class Reread(NamedTuple):
    """A record as it was read before, and as it is written now."""

    former: SourceRecord | None
    """``None`` where its file is new."""
    record: SourceRecord | None
    """``None`` where its file is gone."""
    faults: tuple[Fault, ...]
    """Of reading it now."""
    fingerprint: str
    """The fingerprint of the folder."""


def reread(
    root: Path, paths: Iterable[Path], kinds: Sequence[Kind], cache: ReadCache, fingerprint: str
) -> Reread | None:
    """The one record among these paths of a folder with this fingerprint.

    ``None`` where they name anything else, or a file that holds no record now or held none before.
    """
    names = _names(root, paths, cache)
    if len(names) != 1:
        return None
    (name,) = names
    kind = _kind_of(name, kinds)
    if kind is None:
        return None
    try:
        former, before = _as_read(name, cache)
        file = _file(root, name)
    except LookupError:
        return None
    total = int(fingerprint, 16) - (file_mark(before) if before else 0) + (file_mark(file) if file else 0)
    fingerprint = f"{total % MARKS:032x}"
    if file is None:
        cache.drop(name)
        return Reread(former, None, (), fingerprint) if former else None
    outcome = parsed(partial(parse, root, file, kind))
    if not isinstance(outcome.content, SourceRecord):
        return None
    cache.put(name, (file.stamp, file.size), outcome)
    return Reread(former, outcome.content, outcome.faults, fingerprint)


class RereadObservations(NamedTuple):
    """What checks of sources found, as it is written now."""

    observations: Observations
    fingerprint: str
    """The fingerprint of the folder."""


def reread_observations(
    root: Path, paths: Iterable[Path], cache: ReadCache, fingerprint: str
) -> RereadObservations | None:
    """The observations, where they are all that changed; ``None`` where these paths name anything else, or a fault."""
    if _names(root, paths, cache) != {OBSERVATIONS_FILE}:
        return None
    state, outcome = cache.state(OBSERVATIONS_FILE), cache.content(OBSERVATIONS_FILE)
    former = outcome.content if isinstance(outcome, Parsed) else None
    try:
        file = _file(root, OBSERVATIONS_FILE)
    except LookupError:
        return None
    if file is None:
        return None
    now = parsed(
        partial(read_observations, root, file, former if isinstance(former, Observations) else NO_OBSERVATIONS)
    )
    if now.faults or now.content is None:
        return None
    before = ContentFile(OBSERVATIONS_FILE, state[1], state[0]) if isinstance(state, tuple) else None
    total = int(fingerprint, 16) - (file_mark(before) if before else 0) + file_mark(file)
    cache.put(OBSERVATIONS_FILE, (file.stamp, file.size), now)
    return RereadObservations(now.content, f"{total % MARKS:032x}")


def _names(root: Path, paths: Iterable[Path], cache: ReadCache) -> set[str]:
    """The files of the folder among paths, without those that came and went since."""
    names = {path.relative_to(root).as_posix() for path in paths if path.is_relative_to(root)}
    return {name for name in names if cache.state(name) is not None or os.path.lexists(root / name)}


def _kind_of(name: str, kinds: Sequence[Kind]) -> Kind | None:
    """The kind of a record by the path of its file; ``None`` for any other file."""
    parts = name.split("/")
    if (
        len(parts) != RECORD_PATH_PARTS
        or parts[0] != "content"
        or not name.endswith(".md")
        or is_passed_over(parts[-1])
    ):
        return None
    return next((kind for kind in kinds if kind.name == parts[1]), None)


def _as_read(name: str, cache: ReadCache) -> tuple[SourceRecord | None, ContentFile | None]:
    """The record that was read of a file, and the file then; nothing of a new file.

    Raises ``LookupError`` where it held no record.
    """
    state, outcome = cache.state(name), cache.content(name)
    if state is None:
        return None, None
    record = outcome.content if isinstance(outcome, Parsed) else None
    if isinstance(state, tuple) and len(state) == len(("stamp", "size")) and isinstance(record, SourceRecord):
        stamp, size = state
        return record, ContentFile(name, size, stamp)
    raise LookupError(name)


def _file(root: Path, name: str) -> ContentFile | None:
    """A file as it is now; ``None`` where it is gone. Raises ``LookupError`` for anything but a regular file."""
    try:
        status = os.lstat(root / name)
    except FileNotFoundError:
        return None
    except OSError:
        raise LookupError(name) from None
    if not stat.S_ISREG(status.st_mode):
        raise LookupError(name)
    return ContentFile(name, status.st_size, status.st_mtime_ns)
