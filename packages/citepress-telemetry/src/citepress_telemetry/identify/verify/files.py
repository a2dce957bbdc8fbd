"""Files of the state folder that hold what was fetched: entries by name, bounded and in one format."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from citepress.base import fast_json
from citepress.base.replaced_file import replace_file

FORMAT = 1
T = TypeVar("T")


def read_entries(
    path: Path, member: str, entry: Callable[[str, Mapping[str, Any]], T], error: type[Exception], most: int
) -> dict[str, T]:
    """The entries of a file of at most so many bytes; none without the file. Raises ``error`` with the reason."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        return {}
    except OSError as fault:
        raise error(f"{path.name} cannot be read: {fault.strerror}") from None
    if len(data) > most:
        raise error(f"{path.name} is larger than {most} bytes")
    try:
        raw = fast_json.loads(data)
        if raw["format"] == FORMAT:
            return {name: entry(name, raw_entry) for name, raw_entry in raw[member].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as fault:
        raise error(f"{path.name} cannot be read: {fault!r}; fetch the {member} again") from None
    raise error(f"{path.name} has another format; fetch the {member} again")


def write_entries(path: Path, data: bytes, error: type[Exception]) -> None:
    """Replace a file atomically, in a folder made for it. Raises ``error`` with the reason."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
    except OSError as fault:
        raise error(f"{path.name} cannot be written: {fault.strerror or os.strerror(fault.errno or 0)}") from None
