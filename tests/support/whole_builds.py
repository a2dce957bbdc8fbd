"""Everything that a build writes, as one text to look for words in."""

from collections.abc import Iterable
from pathlib import Path

from citepress.cli import run


def built(folder: Path, output: Path) -> bytes:
    """Every file of an export, with its path."""
    assert run(["build", str(folder), "-o", str(output), "--state", str(output.parent / "state")]) == 0
    files = (file for file in output.rglob("*") if file.is_file())
    return b"\n".join(str(file.relative_to(output)).encode() + b"\n" + file.read_bytes() for file in files).lower()


def leaked(words: Iterable[str], data: bytes) -> list[str]:
    return [word for word in words if word.lower().encode() in data]


def folder_in_mode(mode: str, folder: Path, scratch: Path) -> Path:
    """The folder of another tool as it is (``plain``), or as an archive that it was moved into (``import``)."""
    if mode == "plain":
        return folder
    assert run(["import", "auto", str(folder), str(scratch / "out")]) == 0
    return scratch / "out"
