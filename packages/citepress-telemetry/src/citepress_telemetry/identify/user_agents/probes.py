"""The category of an unmatched path in ``probes.toml``, if it is a probe."""

import re
import tomllib
from collections.abc import Callable, Container, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from citepress.base.errors import CitepressError
from citepress_telemetry.identify.user_agents.marks import RUST, Patterns

PROBES_FILE = "probes.toml"
HOSTILE = ("traversal", "injection", "redirect", "address")
"""Categories that are looked for on every path, with a route or without."""
CATEGORIES = (
    "dotfile",
    "wordpress",
    "script",
    "console",
    "backup",
    "traversal",
    "injection",
    "device",
    "redirect",
    "address",
)
"""Every category; spool rows store the index plus one, so new names are only appended."""
MAX_TARGET_BYTES = 16_384
"""Bytes of a request target that are examined, twice what this server accepts; of longer ones beginning and end."""
DECODING_ROUNDS = 3
"""Rounds of percent-decoding: some probes are encoded twice or three times."""
_SLASHES = re.compile(r"/{2,}")
_SPACES = re.compile(r"[\t-\r\xa0]")
_ODD = re.compile(r"[^ -~]")
_OVERLONG = re.compile(rb"[\xc0\xc1][\x80-\xbf]|\xe0[\x80\x81][\x80-\xbf]")


class ProbesError(CitepressError, ValueError):
    """The file of probes cannot be used."""


class Look(NamedTuple):
    """What a request target without a route is."""

    category: str | None
    embedded: bool
    """Whether browsers request such a path by themselves."""
    file: bool
    """Whether it names a picture, font, script or style."""
    background: bool
    """Whether a script in a page requests it, not a person."""


class Probes:
    """The categories of probes, and paths that are never probes."""

    __slots__ = ("_background", "_categories", "_embedded", "_hostile", "_marks", "_never", "never", "patterns")

    def __init__(self, text: bytes, *, rust: bool = RUST) -> None:
        """Parse a file's text. Raises ``ProbesError``."""
        try:
            raw = tomllib.loads(text.decode("utf-8"))
            given = self.patterns = dict[str, list[str]](raw["category"])
            self.never: Sequence[str] = raw["never"]
            self._never = re.compile("|".join(f"(?:{pattern})" for pattern in self.never))
            self._embedded = re.compile(raw["embedded"])
            self._background = re.compile("|".join(f"(?:{pattern})" for pattern in raw["background"]))
            self._marks, self._categories = _matcher(given, tuple(given), rust=rust)
            self._hostile = _matcher(given, HOSTILE, rust=rust)
        except (ValueError, RecursionError, KeyError, AttributeError, TypeError, re.error) as error:
            raise ProbesError(f"{PROBES_FILE} cannot be read: {error!r}") from None
        if unlike := set(given) ^ set(CATEGORIES):
            raise ProbesError(f"{PROBES_FILE}: categories that are missing or unknown: {', '.join(sorted(unlike))}")

    def category(self, target: bytes) -> str | None:
        """The category of a request target (path and query as they were sent), or ``None``; never raises."""
        return self.look(target)[0]

    def look(self, target: bytes) -> Look:
        """What a target without a route is; never raises."""
        text = decoded(target)
        file = self._embedded.fullmatch("." + text.partition("?")[0].rpartition(".")[2]) is not None
        if ".." not in text and self._never.fullmatch(text):
            return Look(None, embedded=True, file=file, background=False)
        place = self._marks.first(text)
        background = self._background.search(text) is not None
        return Look(None if place is None else self._categories[place], file, file, background)

    def examine(self, target: bytes, free: Callable[[], Container[str]] = frozenset) -> tuple[str | None, bool]:
        """The category of what attacks on a path with a route, and whether a script in a page asks; never raises.

        ``free`` gives the parameters that take any text there, so that a person may search for an attack.
        """
        text, (marks, categories) = decoded(target), self._hostile
        place = marks.first(text)
        if place is not None and (names := free()):
            place = marks.first(decoded(_without(target, names)))
        return None if place is None else categories[place], self._background.search(text) is not None


def _matcher(
    marks: Mapping[str, Sequence[str]], names: Sequence[str], *, rust: bool
) -> tuple[Patterns, tuple[str, ...]]:
    """The patterns of these categories, and the category of each."""
    return Patterns([mark for name in names for mark in marks[name]], rust=rust), tuple(
        name for name in names for _ in marks[name]
    )


def _without(target: bytes, free: Container[str]) -> bytes:
    """A target without the parameters of these names."""
    path, mark, query = target.partition(b"?")
    members = (member for member in query.split(b"&") if decoded(member.partition(b"=")[0]) not in free)
    return path + mark + b"&".join(members)


def decoded(target: bytes) -> str:
    """Path and query without percent-escapes, in lower case and printable ASCII.

    ``+`` in the query is a space, as line breaks and tabs are; repeated slashes are one. An escaped ``&`` becomes a
    ``;``, so that each ``&`` that is left separates two parameters.
    """
    raw = target
    if len(raw) > MAX_TARGET_BYTES:
        raw = raw[: MAX_TARGET_BYTES // 2] + b"&" + raw[-MAX_TARGET_BYTES // 2 :]
    for _ in range(DECODING_ROUNDS):
        if b"%" not in raw:
            break
        raw = unquote_to_bytes(raw.replace(b"%26", b";"))
    raw = _OVERLONG.sub(_shortest, raw)
    path, mark, query = raw.replace(b"\0", b"").decode("latin-1").partition("?")
    text = f"{_SLASHES.sub('/', path)}{mark}{query.replace('+', ' ')}"
    return (text if text.isascii() and text.isprintable() else _ODD.sub("?", _SPACES.sub(" ", text))).lower()


def _shortest(overlong: re.Match[bytes]) -> bytes:
    """The ASCII character that a sequence writes in more bytes than it needs, as only attacks do."""
    *_, high, low = overlong[0]
    return bytes([(high & 1) << 6 | low & 0x3F])


@lru_cache(1)
def shipped() -> Probes:
    """The probes that come with the package. Raises ``ProbesError``."""
    return Probes(files(__package__).joinpath(PROBES_FILE).read_bytes())


def category(target: bytes) -> str | None:
    """The category of a request target by the shipped file, or ``None``."""
    return shipped().category(target)


def look(target: bytes) -> Look:
    """What a target without a route is by the shipped file."""
    return shipped().look(target)


def examine(target: bytes, free: Callable[[], Container[str]] = frozenset) -> tuple[str | None, bool]:
    """What a target with a route is by the shipped file; see ``Probes.examine``."""
    return shipped().examine(target, free)
