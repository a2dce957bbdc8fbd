"""Reading one record again, because it is known to be the only file of its folder that changed."""

import os
import stat
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from citepress.content.cache import ReadCache
from citepress.content.files import MARKS, ContentFile, file_mark
from citepress.content.parsed import parsed
from citepress.content.source_record import SourceRecord, parse
from citepress.contract.fault import Fault
from citepress.contract.kind import Kind

LEVELS = 3
"""Parts of the path of a record: ``content/<kind>/<file>``."""


class Reread(NamedTuple):
    """A record as it is written now."""

    record: SourceRecord
    faults: tuple[Fault, ...]
    fingerprint: str
    """The fingerprint of the folder."""


def reread(
    root: Path, paths: Iterable[Path], kinds: Sequence[Kind], cache: ReadCache, fingerprint: str
) -> Reread | None:
    """The one record among these paths of a folder with this fingerprint.

    ``None`` where they name anything else, or a record that cannot be read or was not read before.
    """
    names = {path.relative_to(root).as_posix() for path in paths if path.is_relative_to(root)}
    names = {name for name in names if cache.state(name) is not None or os.path.lexists(root / name)}
    if len(names) != 1:
        return None
    (name,) = names
    parts, before = name.split("/"), cache.state(name)
    kind = next((kind for kind in kinds if len(parts) == LEVELS and parts[:2] == ["content", kind.name]), None)
    if kind is None or not isinstance(before, tuple) or len(before) != len(("stamp", "size")):
        return None
    try:
        status = os.lstat(root / name)
    except OSError:
        return None
    file = ContentFile(name, status.st_size, status.st_mtime_ns)
    outcome = parsed(partial(parse, root, file, kind))
    if not stat.S_ISREG(status.st_mode) or not isinstance(outcome.content, SourceRecord):
        return None
    cache.put(name, (file.stamp, file.size), outcome)
    stamp, size = before
    total = int(fingerprint, 16) + file_mark(file) - file_mark(ContentFile(name, size, stamp))
    return Reread(outcome.content, outcome.faults, f"{total % MARKS:032x}")
