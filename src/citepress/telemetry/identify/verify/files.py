"""How what was fetched is kept: a file beside the old one, then in its place."""

from pathlib import Path


def put(path: Path, data: bytes) -> None:
    """Write a file in one step, its folder too where there is none. Raises ``OSError``."""
    beside = path.with_name(f"{path.name}.new")
    path.parent.mkdir(parents=True, exist_ok=True)
    beside.write_bytes(data)
    beside.replace(path)
