"""The lines of the compact guide: all records and origins where they fit, and the newest records where they do not."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import zip_longest

from citepress.archive.contents import RecordHead
from citepress.archive.model import Entry, Origin
from citepress.base.ids import twin
from citepress.base.memo import memoized
from citepress.base.text import bounded
from citepress.base.timestamps import day
from citepress.edition.render_context import RenderContext

NEWEST = 5
"""Records of each collection that the compact guide lists with their summaries."""
MARKDOWN = ".md"


def entry_line(entry: Entry) -> str:
    """A record with its summary and its date."""
    return _line(entry.head, summary=True)


def entry_link(entry: Entry) -> str:
    """A record with its date."""
    return memoized(entry.memo, "guide link", None, partial(_line, entry.head, summary=False))


def _line(head: RecordHead, *, summary: bool) -> str:
    about = f": {bounded(head.summary, 200)}" if summary else ""
    language = f", {head.foreign}" if head.foreign else ""
    return f"- [{bare(head.title)}]({twin(head.canonical_url, MARKDOWN)}){about} ({day(head.updated_at)}{language})"


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
    lines: dict[str, list[str]] = {name: [] for name in collections}
    for name, entries in collections.items():
        for line in map(entry_link, entries):
            room -= len(line) + 1
            if room < 0:
                return {}
            lines[name].append(line)
    room -= size_of(origin_links(context))
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
    collections = {kind.name: context.archive.collections[kind.name] for kind in context.archive.kinds}
    lines: dict[str, list[str]] = {name: [] for name in collections}
    for place, newest in enumerate(zip_longest(*collections.values())):
        written = entry_line if place < NEWEST else entry_link
        for name, entry in zip(collections, newest, strict=True):
            if entry:
                line = written(entry)
                room -= len(line) + 1
                if room < 0:
                    return lines
                lines[name].append(line)
    return lines
