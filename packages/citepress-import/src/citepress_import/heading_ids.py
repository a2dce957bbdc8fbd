"""The ids that tools give headings, so that former addresses of sections stay: one rule a tool."""

import re
import unicodedata
from collections.abc import Callable

from citepress.content.heading_ids import without_id
from citepress.content.headings import Heading, headings

_WRITABLE = re.compile(r"[A-Za-z][A-Za-z0-9_:.-]{0,95}")
_CLOSING = re.compile(r"[ \t]+#+[ \t]*\Z")


def github(words: str) -> str:
    """GitHub, and all that use ``github-slugger``: Hugo nearly so, Docusaurus, Astro, Quartz."""
    return re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")


def kramdown(words: str) -> str:
    """kramdown, of Jekyll: what stands before the first letter goes."""
    bare = re.sub(r"\A[^a-zA-Z]+", "", words)
    return re.sub(r"[^a-zA-Z0-9 -]", "", bare).replace(" ", "-").lower() or "section"


def python_markdown(words: str) -> str:
    """Python-Markdown, of MkDocs and Pelican: letters beyond ASCII lose their marks, or go."""
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def with_former_ids(text: str, rule: Callable[[str], str]) -> str:
    """The text with the former id of each heading written where the archive would give it another."""
    joint = "_" if rule is python_markdown else "-"
    taken: dict[str, int] = {}
    data = text.encode()
    edits: list[tuple[int, str]] = []
    for heading in headings(text):
        former = rule(heading.text)
        count = taken.get(former, -1) + 1
        taken[former] = count
        former = f"{former}{joint}{count}" if count else former
        if former != heading.anchor and _WRITABLE.fullmatch(former) and heading.top and not _has_id(data, heading):
            edits.append((heading.start, former))
    for start, former in reversed(edits):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line = _CLOSING.sub("", data[start:end].decode().rstrip())
        data = data[:start] + f"{line} {{#{former}}}".encode() + data[end:]
    return data.decode()


def _has_id(data: bytes, heading: Heading) -> bool:
    line = data[heading.start :].partition(b"\n")[0].decode("utf-8", "ignore")
    return bool(without_id(_CLOSING.sub("", line))[1])
