"""Files that readers see whole: the former bytes or the new ones."""

import os
from pathlib import Path

from citepress.base.shortage import writing_below


def replace_file(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file in one step; ``durable`` returns when the disk has the bytes. Raises ``OSError``.

    One process at a time may write it.
    """
    part = path.with_name(f"{path.name}.part")
    with writing_below(part), part.open("wb") as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    part.replace(path)
