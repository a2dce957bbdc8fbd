"""Reads ``redirects.txt``: former paths and where they lead."""

import re
from dataclasses import dataclass
from pathlib import Path

from citepress.base.text import counted
from citepress.base.urls import opened
from citepress.content.files import ContentFile
from citepress.content.links import scheme
from citepress.content.open_text import open_text
from citepress.content.parsed import Parsed
from citepress.content.sources_file import url_fault
from citepress.content.validation_messages import MAX_ISSUES
from citepress.contract.fault import BAD_REDIRECT, Fault, Span

REDIRECTS_FILE = "redirects.txt"
REDIRECT_BYTES = 1_048_576
_COMMENT = re.compile(r"(?:^|\s)#.*")
_PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*")


@dataclass(frozen=True, slots=True)
class Redirect:
    """A line of ``redirects.txt``."""

    former: str
    target: str
    place: Span


def read_redirects(root: Path, file: ContentFile) -> Parsed[tuple[Redirect, ...]]:
    """The lines ``/from /to [308]`` of a file, where the target may be an address elsewhere. Raises ``Faults``.

    ``#`` begins a comment, except within an address elsewhere.
    """
    text = open_text(root, file, REDIRECT_BYTES)
    redirects: list[Redirect] = []
    faults: list[Fault] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = [word if scheme(word) else word.partition("#")[0] for word in _COMMENT.sub("", line).split()]
        if not words:
            continue
        place = Span(file.path, number, len(line) - len(line.lstrip()) + 1, line[:400])
        if message := _redirect_fault(words):
            faults.append(Fault.at(BAD_REDIRECT, place, message, "write `/from/ /to/`"))
        else:
            target = opened(words[1]) if scheme(words[1]) else words[1]
            redirects.append(Redirect(words[0], target, place))
    return Parsed(tuple(redirects), tuple(faults[:MAX_ISSUES]))


def _redirect_fault(words: list[str]) -> str:
    if len(words) not in (2, 3):
        return f"holds {counted(len(words), 'word')}; a former path and a present one are wanted"
    if len(words) == 3 and words[2] not in ("301", "308"):  # noqa: PLR2004
        return f"{words[2][:40]!r} is not a status of a permanent redirect"
    former, target, *_ = words
    if not is_path(former):
        return f"{former[:80]!r} is not a path of this site"
    if scheme(target):
        return url_fault(target)
    if not is_path(target):
        return f"{target[:80]!r} is neither a path of this site nor an address"
    return "leads to itself" if words[0] == words[1] else ""


def is_elsewhere(target: str) -> bool:
    """Whether the target of a redirect is an address, not a path of this site."""
    return not target.startswith("/")


def is_path(path: str) -> bool:
    """Whether a path is valid in the archive's own address space."""
    return _PATH.fullmatch(path) is not None and "//" not in path and not {".", ".."} & set(path.split("/"))
