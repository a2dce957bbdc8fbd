"""The lines of the compact guide: all records and origins where they fit, and the newest records where they do not."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from citepress.archive.contents import RecordHead
from citepress.archive.model import Entry, Origin
from citepress.base.ids import twin
from citepress.base.text import bounded
from citepress.base.timestamps import day
from citepress.edition.render_context import RenderContext

NEWEST = 5
"""Records of each collection that the compact guide lists with their summaries."""
MARKDOWN = ".md"
MIN_LINK_LINE_CHARS = 20
"""Characters that a line with a link takes at least."""


def entry_line(entry: Entry) -> str:
    """A record with its summary and its date."""
    head = entry.head
    address = twin(head.canonical_url, MARKDOWN)
    return f"- [{bare(head.title)}]({address}): {bounded(head.summary, 200)} ({day(head.updated_at)}{_language(head)})"


def entry_link(entry: Entry) -> str:
    """A record with its date."""
    head = entry.head
    return f"- [{bare(head.title)}]({twin(head.canonical_url, MARKDOWN)}) ({day(head.updated_at)}{_language(head)})"


def _language(head: RecordHead) -> str:
    return f", {head.foreign}" if head.foreign else ""


def origin_link(context: RenderContext, origin: Origin) -> str:
    """An origin of sources."""
    return f"- [{bare(origin.title)}]({context.url(f'/sources/{origin.id}.md')})"


def origin_links(context: RenderContext) -> Iterator[str]:
    """Every origin of sources."""
    return (origin_link(context, origin) for origin in context.archive.origins.values())


def bare(text: str) -> str:
    """A title as the words of a link, where it may hold no square bracket and no line break."""
    text = " ".join(text.split()) if "\n" in text else text
    return text.replace("[", "(").replace("]", ")") if "[" in text or "]" in text else text


def size_of(lines: Iterable[str]) -> int:
    """Characters that lines take."""
    return sum(len(line) + 1 for line in lines)


def everything(context: RenderContext, room: int) -> Mapping[str, list[str]]:
    """Every record, where all of them and every origin fit into so many characters; nothing where they do not.

    Records are links then, and the newest have their summaries as far as there is room.
    """
    collections = {kind.name: context.archive.collections[kind.name] for kind in context.archive.kinds}
    # No line is shorter, so that a large archive is not written for nothing.
    if (sum(map(len, collections.values())) + len(context.archive.origins)) * MIN_LINK_LINE_CHARS > room:
        return {}
    lines = {name: list(map(entry_link, entries)) for name, entries in collections.items()}
    room -= size_of(chain(origin_links(context), *lines.values()))
    if room < 0:
        return {}
    for place in range(NEWEST):
        for name, entries in collections.items():
            if place < len(entries):
                longer = entry_line(entries[place])
                room -= len(longer) - len(lines[name][place])
                if room < 0:
                    return lines
                lines[name][place] = longer
    return lines


def newest_records(context: RenderContext, room: int) -> Mapping[str, list[str]]:
    """The newest records of each collection: as many of each as fit together into so many characters."""
    lines: dict[str, list[str]] = {kind.name: [] for kind in context.archive.kinds}
    waiting = {name: entry_lines(context.archive.collections[name]) for name in lines}
    while waiting:
        for name in list(waiting):
            line = next(waiting[name], None)
            if line is None:
                del waiting[name]
            elif (room := room - len(line) - 1) < 0:
                return lines
            else:
                lines[name].append(line)
    return lines


def entry_lines(entries: Sequence[Entry]) -> Iterator[str]:
    """The newest records with their summaries, then the others by title and date."""
    yield from map(entry_line, entries[:NEWEST])
    yield from map(entry_link, islice(entries, NEWEST, None))
