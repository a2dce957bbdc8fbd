"""Replaces files atomically."""

from pathlib import Path


def write_file(path: Path, data: bytes) -> None:
    """Write a file atomically, and create its folder. Raises ``OSError``."""
    beside = path.with_name(f"{path.name}.new")
    path.parent.mkdir(parents=True, exist_ok=True)
    beside.write_bytes(data)
    beside.replace(path)
