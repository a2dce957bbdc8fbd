"""Whether the files of an index are as they were written.

The engine trusts its files: over a damaged one it answers wrongly, or panics, and a panic is no ``Exception``. Each of
its files ends in a footer with the CRC-32 of what precedes it, which it only writes. So builders compare it, and what
the engine cannot read for a server is an ``EngineError``, which leaves a mark for the next build.
"""

import json
import logging
import zlib
from collections.abc import Callable
from contextlib import suppress
from os import fstat
from pathlib import Path
from struct import Struct
from typing import BinaryIO, ParamSpec, TypeVar

from citepress.base.errors import CitepressError

P = ParamSpec("P")
R = TypeVar("R")

DAMAGED_MARK = "damaged"
"""The mark in the folder of a version that a reader met damage in."""
UNCHECKED = frozenset((".json", ".lock"))
"""Endings of the engine's files that have no footer."""
BLOCK = 1 << 20
_END = Struct("<II")
"""The length of the footer, and a number that marks it."""
_MARK = 1337
_Name = tuple[int, int, int, int]
_whole: set[_Name] = set()
"""The files that were compared last: segments never change, and each version of an index links to those before it."""
log = logging.getLogger(__name__)


class EngineError(CitepressError, ValueError):
    """The folder has no index of this version, or a damaged one; the index has to be rebuilt."""


def check_whole(engine: Path) -> None:
    """Compare the engine's files with their checksums, but for those of the last comparison. Raises ``EngineError``."""
    names = set[_Name]()
    try:
        for file in engine.iterdir():
            if file.suffix in UNCHECKED:
                continue
            with file.open("rb") as opened:
                state = fstat(opened.fileno())
                name = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)
                if name not in _whole and not _matches(opened, state.st_size):
                    raise EngineError(f"{file.name} of the search index is damaged")
                names.add(name)
    except OSError as error:
        raise EngineError(f"{engine.parent.name} holds no search index: {error}") from error
    _whole.clear()
    _whole.update(names)


def _matches(file: BinaryIO, size: int) -> bool:
    """Whether a file has the checksum of its footer."""
    if size < _END.size:
        return False
    file.seek(size - _END.size)
    length, mark = _END.unpack(file.read(_END.size))
    left = size - _END.size - length
    if mark != _MARK or left < 0:
        return False
    file.seek(left)
    try:
        expected = json.loads(file.read(length))["crc"]
    except (ValueError, TypeError, LookupError):
        return False
    file.seek(0)
    checksum = 0
    while left:
        block = file.read(min(BLOCK, left))
        if not block:
            return False
        checksum, left = zlib.crc32(block, checksum), left - len(block)
    return bool(checksum == expected)


def reading(method: Callable[P, R], version: Path) -> Callable[P, R]:
    """A method of the engine that raises ``EngineError`` over damaged files, and marks the version of the index."""

    def honest(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return method(*arguments, **named)
        except (MemoryError, UnicodeError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
            raise met_damage(version, error) from error

    return honest


def met_damage(version: Path, error: BaseException) -> EngineError:
    """Mark a version of the index as damaged; the error to raise."""
    if not is_marked(version):
        log.error("the search index is damaged, and will be made anew: %s", error)
        with suppress(OSError):
            (version / DAMAGED_MARK).touch()
    return EngineError(f"the search index is damaged: {error}")


def is_marked(version: Path) -> bool:
    """Whether a reader met damage in a version of an index."""
    return (version / DAMAGED_MARK).exists()
