"""The parts of a Markdown text: what stands under each of its main headings."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import pyromark

from citepress.base.ids import slugify
from citepress.base.text import bounded
from citepress.contract.operation import Refusal
from citepress.operations.records import Told
from citepress.operations.shapes import RecordSection

START = "start"
"""The id of what stands before the first heading."""
TITLE = 120
LISTED = 50
"""Sections that an answer lists."""
_PARSER = pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES)


class Part(NamedTuple):
    """A heading and everything up to the next of its level."""

    id: str
    title: str
    text: str


def chosen(told: Told, wanted: Sequence[str]) -> tuple[str, list[RecordSection]]:
    """The body of a record, or these parts of it, and the list of all parts. Raises ``Refusal`` for an unknown part."""
    by_id, listed = _parted(told["body_markdown"], told["title"])
    if unknown := [id_ for id_ in wanted if id_ not in by_id]:
        message = f"{told['id']} has no section {', '.join(bounded(id_, 60) for id_ in unknown)}."
        raise Refusal("not_found", message, tuple(by_id)[:LISTED], member="sections")
    body = "\n\n".join(by_id[id_] for id_ in dict.fromkeys(wanted)) if wanted else told["body_markdown"]
    return body, listed


@lru_cache(maxsize=256)  # who reads a record in parts asks for the same text again
def _parted(markdown: str, title: str) -> tuple[Mapping[str, str], list[RecordSection]]:
    """The text of each part by its id, and what is told of the first ones. Neither is to be changed."""
    parts = split(markdown, title)
    listed = [RecordSection(id=part.id, title=part.title, approx_tokens=tokens(part.text)) for part in parts[:LISTED]]
    return {part.id: part.text for part in parts}, listed


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return -(-len(text.encode()) // 4)


def split(markdown: str, title: str) -> tuple[Part, ...]:
    """The parts of a text in order; none where it has no heading."""
    found = list(_headings(markdown))
    if not found:
        return ()
    level = min([one[1] for one in found])
    source = markdown.encode()
    tops = [(start, heading) for start, depth, heading in found if depth == level]
    starts = [start for start, _ in tops]
    parts = [(bounded(title, TITLE), source[: starts[0]], START)] if source[: starts[0]].strip() else []
    ends = [*starts[1:], len(source)]
    parts += [(heading, source[start:end], "") for (start, heading), end in zip(tops, ends, strict=True)]
    seen: dict[str, int] = {}
    return tuple(Part(fixed or _unique(heading, seen), heading, text.decode().strip()) for heading, text, fixed in parts)


def _unique(heading: str, seen: dict[str, int]) -> str:
    """An id for a heading, numbered from its second use on."""
    base = slugify(heading) or "section"
    seen[base] = seen.get(base, 0) + 1
    return base if seen[base] == 1 and base != START else f"{base}-{seen[base] + (base == START)}"


def _headings(markdown: str) -> Iterator[tuple[int, int, str]]:
    """(byte offset, level, text) of each heading outside of quotes and lists."""
    depth, start, level, words = 0, -1, 0, list[str]()
    for event, span in _PARSER.events_with_range(markdown):
        if isinstance(event, str):
            continue
        ((edge, data),) = event.items()
        name = data if isinstance(data, str) else next(iter(data), "") if isinstance(data, dict) else ""
        if edge in ("Text", "Code") and start >= 0:
            words.append(str(data))
        elif name == "Heading" and edge == "Start" and not depth:
            start, level, words = span["start"], _level(data), []
        elif name == "Heading" and edge == "End" and start >= 0:
            yield start, level, bounded("".join(words), TITLE)
            start = -1
        elif name in ("BlockQuote", "Item"):
            depth += 1 if edge == "Start" else -1


def _level(data: object) -> int:
    told = data["Heading"]["level"] if isinstance(data, dict) else "H1"
    return int(str(told)[-1])
