"""The faces that cards are set in: those of pinned packages, compared with their digests, with what each can write."""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, files
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pymupdf_fonts
from fontTools.ttLib import TTFont

from citepress.base.errors import CitepressError

SERIF = (
    "font-source-serif-pro",
    "font_source_serif_pro/files/SourceSerifPro-Semibold.ttf",
    "83cc8531f284efb749bbb54f9fb4a0e0450cba918a41df76fabb3a42f2f95899",
)
"""Source Serif Pro (SIL OFL 1.1), for Latin, Greek and Cyrillic: package, file and SHA-256."""
SANS = {
    "bold": ("figbo", "ab720753c39073556260ebbaee7e7af89f9ca202a7c7abc257d935db590a1e35"),
    "regular": ("figo", "495901c0c608ea265f4c31aa2a4c7a313e5cc2a3dd610da78a447fe8e07454a2"),
}
"""FiraGO (SIL OFL 1.1), for these, Arabic, Hebrew, Devanagari, Thai and Georgian: name in its package, and SHA-256."""
UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Sk", "So"})
"""Categories of characters without which a text can still be read: emoji and controls."""
VARIATION = range(0xFE00, 0xFE10)
"""Characters that choose a variant of the one before."""
JOINERS = "\u200c\u200d"


class CardError(CitepressError, ValueError):
    """Cards cannot be drawn on this machine; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Face:
    """One weight of one family."""

    family: str
    weight: int
    data: bytes
    """Its file."""
    advances: Mapping[int, float]
    """Width of each character that it can write, in units of the size."""

    def covers(self, text: str) -> bool:
        """Whether it has a shape for every character."""
        return all(ord(char) in self.advances or char in JOINERS for char in text)

    def width(self, text: str) -> float:
        """The width of a text at a size of one, without kerning: mostly a little more than what is drawn."""
        return sum(self.advances.get(ord(char), 0) for char in text)


@dataclass(frozen=True, slots=True)
class Faces:
    """The faces in which cards are set; each list begins with the one that is tried first."""

    serif: Sequence[Face]
    sans: Sequence[Face]
    text: Sequence[Face]

    @contextmanager
    def as_files(self) -> Iterator[list[str]]:
        """The path of every face while a picture is drawn: the renderer reads files alone.

        They are written each time, because a process that is killed or forked would leave behind what it holds longer.
        """
        with TemporaryDirectory(prefix="citepress-faces-") as folder:
            data = dict.fromkeys(face.data for face in (*self.serif, *self.sans, *self.text))
            paths = [Path(folder, f"{place}.ttf") for place in range(len(data))]
            for path, content in zip(paths, data, strict=True):
                path.write_bytes(content)
            yield [str(path) for path in paths]


@cache
def faces() -> Faces:
    """The faces of the installed packages. Raises ``CardError``."""
    serif = _face("Source Serif Pro", 600, _packaged())
    bold, regular = (_face("FiraGO", weight, _unpacked(name)) for name, weight in (("bold", 700), ("regular", 400)))
    return Faces((serif, bold), (bold,), (regular,))


def readable(text: str, candidates: Sequence[Face]) -> tuple[str, Face] | None:
    """A text as the first face that can writes it, without emoji that none has; ``None`` where letters are missing."""
    words = " ".join(unicodedata.normalize("NFC", text).split())
    for face in candidates:
        shown = " ".join(_without_unseen(words, face).split())
        if shown.strip(f" {JOINERS}") and face.covers(shown):
            return shown, face
    return None


def _without_unseen(words: str, face: Face) -> str:
    return "".join(char for char in words if face.covers(char) or not _is_unseen(char))


def _is_unseen(char: str) -> bool:
    return unicodedata.category(char) in UNSEEN or ord(char) in VARIATION


def _packaged() -> bytes:
    package, name, digest = SERIF
    try:
        file = next((file for file in files(package) or () if str(file) == name), None)
    except PackageNotFoundError:
        file = None
    if file is None:
        raise CardError(f"{package} is not installed")
    data = Path(str(file.locate())).read_bytes()
    _compare(data, digest, package)
    return data


def _unpacked(weight: str) -> bytes:
    """A face of FiraGO, which its package holds packed."""
    name, digest = SANS[weight]
    data: bytes = pymupdf_fonts.myfont(name)
    _compare(data, digest, "pymupdf-fonts")
    return data


def _compare(data: bytes, digest: str, package: str) -> None:
    if sha256(data).hexdigest() != digest:
        raise CardError(f"the font of {package} is not the one that cards are drawn with")


def _face(family: str, weight: int, data: bytes) -> Face:
    font: Any = TTFont(BytesIO(data), lazy=True)
    size, widths = font["head"].unitsPerEm, font["hmtx"].metrics
    return Face(family, weight, data, {char: widths[name][0] / size for char, name in font.getBestCmap().items()})
