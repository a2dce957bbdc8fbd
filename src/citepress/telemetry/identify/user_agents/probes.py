"""The category of an unmatched path in ``probes.toml``, if it is a probe."""

import re
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from urllib.parse import unquote_to_bytes

from citepress.base.errors import CitepressError
from citepress.telemetry.identify.user_agents.marks import RUST, Patterns

FILE = "probes.toml"
CATEGORIES = ("dotfile", "wordpress", "script", "console", "backup", "traversal", "injection", "device")
"""Every category; spool rows store the index plus one, so new names are only appended."""
LONGEST = 2_048
"""Bytes of a request target that are examined."""
DECODED = 2
"""Rounds of percent-decoding: some probes are encoded twice."""
_SLASHES = re.compile(r"/{2,}")
_ODD = re.compile(r"[^ -~]")


class ProbesError(CitepressError, ValueError):
    """The file of probes cannot be used."""


class Probes:
    """The categories of probes, and paths that are never probes."""

    __slots__ = ("_categories", "_embedded", "_marks", "_never", "never", "patterns")

    def __init__(self, text: bytes, *, rust: bool = RUST) -> None:
        """Parse a file's text. Raises ``ProbesError``."""
        try:
            raw = tomllib.loads(text.decode("utf-8"))
            given = self.patterns = dict[str, list[str]](raw["category"])
            self.never: Sequence[str] = raw["never"]
            self._never = re.compile("|".join(f"(?:{pattern})" for pattern in self.never))
            self._embedded = re.compile(raw["embedded"])
            self._categories = tuple(name for name, marks in given.items() for _ in marks)
            self._marks = Patterns([mark for marks in given.values() for mark in marks], rust=rust)
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, AttributeError, TypeError, re.error) as error:
            raise ProbesError(f"{FILE} cannot be read: {error!r}") from None
        if unlike := set(given) ^ set(CATEGORIES):
            raise ProbesError(f"{FILE}: categories that are missing or unknown: {', '.join(sorted(unlike))}")

    def category(self, target: bytes) -> str | None:
        """The category of a request target (path and query as they were sent), or ``None``; never raises."""
        return self.look(target)[0]

    def look(self, target: bytes) -> tuple[str | None, bool]:
        """The category, and whether browsers request such a path by themselves; never raises."""
        text = decoded(target)
        if ".." not in text and self._never.fullmatch(text):
            return None, True
        place = self._marks.first(text)
        ending = text.partition("?")[0].rpartition(".")[2]
        embedded = self._embedded.fullmatch(f".{ending}") is not None
        return None if place is None else self._categories[place], embedded


def decoded(target: bytes) -> str:
    """Path and query without percent-escapes, in lower case and printable ASCII.

    ``+`` in the query is a space, repeated slashes are one.
    """
    raw = target[:LONGEST]
    for _ in range(DECODED):
        raw = unquote_to_bytes(raw)
    path, mark, query = raw.replace(b"\0", b"").decode("latin-1").partition("?")
    text = f"{_SLASHES.sub('/', path)}{mark}{query.replace('+', ' ')}"
    return (text if text.isascii() and text.isprintable() else _ODD.sub("?", text)).lower()


@lru_cache(1)
def shipped() -> Probes:
    """The probes that come with the package. Raises ``ProbesError``."""
    return Probes(files(__package__).joinpath(FILE).read_bytes())


def category(target: bytes) -> str | None:
    """The category of a request target by the shipped file, or ``None``."""
    return shipped().category(target)


def look(target: bytes) -> tuple[str | None, bool]:
    """The category by the shipped file, and whether browsers request such a path by themselves."""
    return shipped().look(target)
