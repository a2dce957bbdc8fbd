"""A plain folder of Markdown as an archive: every file is a field note, and what its front matter leaves out is worked out."""

import posixpath
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyromark

from citepress.base.ids import slugify
from citepress.base.moments import day
from citepress.base.text import bounded
from citepress.content.draft import Parsed, drafted, front_mapping, open_text
from citepress.content.files import File, shown
from citepress.content.front import front_model, validated
from citepress.content.places import Manuscript, Matter, split
from citepress.content.wording import written_names
from citepress.contract.fault import BAD_NAME, Fault, Place
from citepress.contract.kind import Kind

TITLE, SUMMARY = 160, 300
_NOTE = re.compile(r"[^:?#]+\.md(#.*)?")
_SETTLED = ("slug", "extra")
"""Keys that mean nothing here: the path names a note, and anything may be written freely."""


def slug_of(path: str) -> str:
    """The slug of a note: its path without the ending, as one word."""
    return slugify(path.removesuffix(".md"))


def parse_note(root: Path, file: File, kind: Kind) -> Parsed:
    """A Markdown file as a field note, or its faults."""
    slug = slug_of(file.path)
    if not slug:
        hint = "name it with letters or digits"
        return Parsed(faults=(Fault.at(BAD_NAME, Place(shown(file.path)), "no slug can be made of the name", hint),))
    text = open_text(root, file)
    if isinstance(text, Fault):
        return Parsed(faults=(text,))
    manuscript = Manuscript(root, file.path)
    matter = split(text)
    if not matter.closed:  # a note may begin with a rule
        matter = Matter(None, text.strip(), 1)
    raw = {} if matter.front is None else front_mapping(manuscript, matter)
    if isinstance(raw, Fault):
        return Parsed(faults=(raw,))
    heading, paragraph, start = _opening(matter.body)
    front = _front(kind, raw, file, heading, paragraph)
    cut = matter.body[start:].lstrip("\n") if "title" not in raw else matter.body
    line = matter.body_line + matter.body[: len(matter.body) - len(cut)].count("\n")
    return drafted(manuscript, kind, slug, front, Matter(matter.front, _relinked(cut, file.path, kind), line))


def _front(kind: Kind, raw: dict[str, object], file: File, heading: str, paragraph: str) -> Any:  # noqa: ANN401
    """The front matter with every gap filled; what does not fit its key is set aside under ``extra``."""
    model = front_model(kind)
    names = written_names(model)
    kept = {key: value for key, value in raw.items() if key in names and key not in _SETTLED}
    stem = file.name.removesuffix(".md")
    found = validated(model, kept | _gaps(kind, kept, stem, heading, paragraph, file))
    while isinstance(found, tuple):
        wrong = {str(slip.location[0]) for slip in found}
        kept = {key: value for key, value in kept.items() if key not in wrong}
        found = validated(model, kept | _gaps(kind, kept, stem, heading, paragraph, file))
    return found


def _gaps(kind: Kind, kept: dict[str, object], stem: str, heading: str, paragraph: str, file: File) -> dict[str, object]:
    title = bounded(heading or stem.replace("-", " ").replace("_", " "), TITLE) or "Untitled"
    summary = kept.get("summary") or kept.get("description") or bounded(paragraph or title, SUMMARY)
    written: dict[str, object] = {"title": title, "date": day(datetime.fromtimestamp(file.stamp // 1_000_000_000, UTC))}
    if "description" not in kept:
        written["summary"] = summary
    for name, field in kind.fields.model_fields.items():
        if field.is_required():
            written[name] = [] if name.endswith("s") else summary
    return {key: value for key, value in written.items() if key not in kept}


def _opening(body: str) -> tuple[str, str, int]:
    """The first heading, the first paragraph, and where the text goes on below a heading that opens it (in characters)."""
    heading = paragraph = ""
    start = 0
    for sort, words, span in _blocks(body):
        if sort == "Heading" and not heading:
            heading = words
            if span[0] == 0 and not paragraph:
                start = len(body.encode()[: span[1]].decode())
        elif sort == "Paragraph" and not paragraph:
            paragraph = words
        if heading and paragraph:
            break
    return heading, paragraph, start


def _blocks(body: str) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Headings and paragraphs with their plain words."""
    words: list[str] = []
    event: Any  # the parser's own union of dictionaries
    for event, span in pyromark.events_with_range(body):
        if event in ("SoftBreak", "HardBreak"):
            words.append(" ")
        elif isinstance(event, dict):
            words += [str(event[sort]) for sort in ("Text", "Code") if sort in event]
            start, end = event.get("Start"), event.get("End")
            if start == "Paragraph" or (isinstance(start, dict) and "Heading" in start):
                words = []
            elif end == "Paragraph" or (isinstance(end, dict) and "Heading" in end):
                yield "Paragraph" if end == "Paragraph" else "Heading", "".join(words).strip(), (span["start"], span["end"])


def _relinked(body: str, path: str, kind: Kind) -> str:
    """The text with links to other notes' files led to their pages."""
    data = body.encode()
    event: Any
    for event, span in reversed(tuple(pyromark.events_with_range(body))):
        link = event["Start"].get("Link") if isinstance(event, dict) and isinstance(event.get("Start"), dict) else None
        if not link or link["link_type"] != "Inline" or not _NOTE.fullmatch(href := link["dest_url"]):
            continue
        target, _, fragment = href.partition("#")
        note = posixpath.normpath(posixpath.join("/", posixpath.dirname(path), unquote(target))).lstrip("/")
        page = f"/{kind.name}/{slug_of(note)}/{'#' if fragment else ''}{fragment}"
        inside = data[span["start"] : span["end"]]
        head, found, tail = inside.rpartition(href.encode())
        if found:
            data = data[: span["start"]] + head + page.encode() + tail + data[span["end"] :]
    return data.decode()
