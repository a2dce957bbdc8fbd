"""The tiles in which a log is published (C2SP tlog-tiles): files of hashes or entries that never change."""

import re
from collections.abc import Iterator, Sequence

from citepress.transparency.entries import EditionLogError
from citepress.transparency.merkle import HASH_BYTES, leaf_hash, root_of

WIDTH = 256
"""Hashes of a full tile."""
ENTRIES = "entries"
LEVELS = range(8)
TILE = r"(?:[0-7]|entries)/(?:x[0-9]{3}/){0,4}[0-9]{3}(?:\.p/[1-9][0-9]{0,2})?"
"""Regular expression of the names of tiles."""
_GROUP, _LARGEST_GROUP = 1000, 999
_LENGTH_BYTES = 2


def tile_name(level: int | str, number: int, width: int = WIDTH) -> str:
    """The name of a tile, ``0/x001/234.p/17``; ``level`` is a level of the tree or ``entries``."""
    groups: list[str] = []
    rest = number
    while True:
        rest, group = divmod(rest, _GROUP)
        groups.append(f"{group:03d}" if not groups else f"x{group:03d}")
        if not rest:
            break
    part = "" if width == WIDTH else f".p/{width}"
    return f"{level}/{'/'.join(reversed(groups))}{part}"


def tile_names(size: int) -> Iterator[str]:
    """The tiles of a log with so many entries, full ones and the last of each level."""
    for level in LEVELS:
        nodes = size >> 8 * level
        for number in range(-(-nodes // WIDTH)):
            width = min(WIDTH, nodes - number * WIDTH)
            yield tile_name(level, number, width)
            if level == 0:
                yield tile_name(ENTRIES, number, width)


def tile(name: str, lines: Sequence[bytes]) -> bytes | None:
    """The bytes of a tile of the log with these entries; ``None`` where the log has no such tile."""
    if not re.fullmatch(TILE, name):
        return None
    level_text, _, place = name.partition("/")
    place, _, width_text = place.partition(".p/")
    number = int(place.replace("/", "").replace("x", ""))
    width = int(width_text or WIDTH)
    level = 0 if level_text == ENTRIES else int(level_text)
    span = 1 << 8 * level
    first, last = number * WIDTH * span, (number * WIDTH + width) * span
    if (width_text and width >= WIDTH) or last > len(lines) or tile_name(level_text, number, width) != name:
        return None
    held = lines[first:last]
    if level_text == ENTRIES:
        return b"".join(len(line).to_bytes(_LENGTH_BYTES, "big") + line for line in held)
    hashes = [leaf_hash(line) for line in held]
    return b"".join(root_of(hashes[start : start + span]) for start in range(0, len(hashes), span))


def tile_hashes(data: bytes, width: int) -> list[bytes]:
    """The hashes of a tile that was fetched. Raises ``EditionLogError``."""
    if len(data) != width * HASH_BYTES:
        raise EditionLogError(f"a tile of the log has {len(data)} bytes instead of {width * HASH_BYTES}")
    return [data[start : start + HASH_BYTES] for start in range(0, len(data), HASH_BYTES)]
