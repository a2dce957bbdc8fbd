"""A note of a plain folder: a Markdown file as a field note, and what its front matter leaves out is worked out."""

import posixpath
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyromark

from citepress.base.ids import slugify
from citepress.base.text import bounded
from citepress.base.timestamps import as_moment, day
from citepress.content import raw_html
from citepress.content.attachments import attached
from citepress.content.files import ContentFile, shown
from citepress.content.front import front_model, validated
from citepress.content.git_dates import Committed
from citepress.content.links import inspect, scheme
from citepress.content.pages import PageFile
from citepress.content.source_map import TOML, FrontMatter, SourceFile, split
from citepress.content.source_record import ParsedFile, drafted, front_mapping, open_text
from citepress.content.usual_keys import SUMMARY, TITLE, Adapted, adapted, dated, undated
from citepress.content.validation_messages import ValidationIssue, written_names
from citepress.contract.fault import BAD_NAME, SET_ASIDE, UNDATED, Fault, Level, Span
from citepress.contract.kind import Kind

_NOTE = re.compile(r"[^:?#]+\.md(#.*)?")
_ATTRIBUTE = re.compile(r"""(\b(?:src|href)\s*=\s*)("[^"]*"|'[^']*')""", re.IGNORECASE)


def slug_of(path: str) -> str:
    """The slug of a note: its path without the ending, as one word."""
    return slugify(path.removesuffix(".md"))


def set_aside(fault: Fault, what: str = "the file") -> Fault:
    """A fault as a plain folder takes it: one file, or one key of it, is left out with a warning, and the rest is published."""
    return Fault.at(SET_ASIDE, fault.place, f"{fault.message}; {what} is set aside ({fault.code.id})", fault.hint)


def set_aside_error(fault: Fault) -> Fault:
    """An error set aside; a warning as it is."""
    return set_aside(fault) if fault.code.level is Level.ERROR else fault


def parse_note(root: Path, file: ContentFile, kind: Kind, committed: Committed | None = None) -> ParsedFile:
    """A Markdown file as a field note, with a warning of what was set aside of it; or its faults."""
    slug = slug_of(file.path)
    if not slug:
        hint = "name it with letters or digits"
        return ParsedFile(faults=(Fault.at(BAD_NAME, Span(shown(file.path)), "no slug can be made of the name", hint),))
    manuscript = SourceFile(root, file.path)
    matter = _matter(root, file)
    if isinstance(matter, Fault):
        return ParsedFile(faults=(matter,))
    raw = {} if matter.front is None else front_mapping(manuscript, matter)
    if isinstance(raw, Fault):
        return ParsedFile(faults=(raw,))
    told = adapted(raw, paths=matter.format is TOML)
    heading, paragraph, start = _opening(matter.body)
    gaps = _Gaps(kind, file, heading, paragraph, dated(raw, file.path), committed)
    front, faults = _front(told, gaps, manuscript)
    body, line = (matter.body, matter.body_line) if "title" in told.members else _below(matter, start)
    linked, former = _relinked(body, file.path, kind)
    parsed = drafted(manuscript, kind, slug, front, FrontMatter(matter.front, linked, line, format=matter.format))
    if parsed.draft:
        parsed.draft.memo["written"] = former
    return ParsedFile(parsed.draft, None, (*faults, *parsed.faults))


def read_readme(root: Path, file: ContentFile, kind: Kind) -> tuple[PageFile | None, tuple[Fault, ...]]:
    """The file that tells what a folder is, as the text of the front page; or its faults."""
    matter = _matter(root, file)
    if isinstance(matter, Fault):
        return None, (matter,)
    heading, _, start = _opening(matter.body)
    body, line = _below(matter, start)
    linked, _ = _relinked(body, file.path, kind)
    return PageFile("index", bounded(heading, TITLE) or "About", "", None, linked, line, inspect(linked), SourceFile(root, file.path)), ()


def _matter(root: Path, file: ContentFile) -> FrontMatter | Fault:
    text = open_text(root, file)
    if isinstance(text, Fault):
        return text
    matter = split(text)
    return matter if matter.closed else FrontMatter(None, text.strip(), 1)  # a note may begin with a rule


def _below(matter: FrontMatter, start: int) -> tuple[str, int]:
    """The text below the heading that opens it, and its line."""
    cut = matter.body[start:].lstrip("\n")
    return cut, matter.body_line + matter.body[: len(matter.body) - len(cut)].count("\n")


class _Gaps:
    """What fills the gaps of a note's front matter."""

    def __init__(self, kind: Kind, file: ContentFile, heading: str, paragraph: str, named: str, committed: Committed | None) -> None:
        """``heading`` and ``paragraph`` are the first of its text, ``named`` is the day that its path tells."""
        self.kind, self.file, self.heading, self.paragraph, self.named, self.committed = kind, file, heading, paragraph, named, committed

    @property
    def known(self) -> bool:
        """Whether anything but the time of the file tells when the note was first published."""
        return bool(self.named or self.committed)

    def filled(self, kept: dict[str, object]) -> dict[str, object]:
        """The members with every gap filled."""
        stem = undated(self.file.name.removesuffix(".md"))
        title = bounded(self.heading or stem.replace("-", " ").replace("_", " "), TITLE) or "Untitled"
        summary = kept.get("summary") or bounded(self.paragraph or title, SUMMARY)
        found: dict[str, object] = {"title": title, "summary": summary, **self._dates(kept)}
        for name, field in self.kind.fields.model_fields.items():
            if field.is_required():
                found[name] = [] if name.endswith("s") else summary
        return found | kept

    def _dates(self, kept: dict[str, object]) -> dict[str, object]:
        """The day of the path, else those of the commits, else of the file; commits say nothing of a note that is dated."""
        if "date" in kept:
            return {}
        if self.named:
            return {"date": self.named}
        if self.committed:
            changed = {"lastmod": self.committed.last} if self.committed.last > self.committed.first else {}
            return {"date": self.committed.first, **changed}
        return {"date": day(datetime.fromtimestamp(self.file.stamp // 1_000_000_000, UTC))}


def _front(told: Adapted, gaps: _Gaps, manuscript: SourceFile) -> tuple[Any, list[Fault]]:
    """The front matter with every gap filled, and a warning of each value that does not fit its key and was set aside."""
    model = front_model(gaps.kind)
    kept = {key: value for key, value in told.members.items() if key in written_names(model)}
    faults: list[Fault] = []
    found = validated(model, gaps.filled(kept))
    while isinstance(found, tuple):
        wrong = {str(slip.location[0]) for slip in found}
        faults += [set_aside(_as_written(slip, told).fault(manuscript), "it") for slip in found if slip.location[0] in kept]
        kept = {key: value for key, value in kept.items() if key not in wrong}
        found = validated(model, gaps.filled(kept))
    stands_in = "the day of the file"
    if found.lastmod and found.lastmod < found.date and "date" not in kept and not gaps.named:
        found = found.model_copy(update={"date": found.lastmod})  # no commit or checkout is later than what the author says
        stands_in = "the day of its last change"
    if found.lastmod and found.lastmod < found.date:
        found = found.model_copy(update={"lastmod": None})
    if found.publish_date and found.expiry_date and found.expiry_date <= found.publish_date:
        found = found.model_copy(update={"expiry_date": None})
    if "date" not in kept and not gaps.known:
        message = f"nothing tells when this was first published; {day(as_moment(found.date))}, {stands_in}, stands in"
        faults.append(
            Fault.at(UNDATED, Span(shown(manuscript.file)), message, "write `date:` in its front matter, or keep the folder in Git")
        )
    return found, faults


def _as_written(slip: ValidationIssue, told: Adapted) -> ValidationIssue:
    """A slip under the key that the author wrote."""
    first, *rest = slip.location
    return ValidationIssue((told.written.get(str(first), first), *rest), slip.code, slip.message, slip.hint, slip.key)


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
    """Headings and paragraphs with the words that a page shows of them: no tags, and nothing of what runs."""
    words: list[str] = []
    removed = raw_html.removed_ranges(_inline_html(body))[::-1]
    event: Any  # the parser's own union of dictionaries
    for event, span in pyromark.events_with_range(body):
        while removed and removed[-1][1] <= span["start"]:
            removed.pop()
        if event in ("SoftBreak", "HardBreak"):
            words.append(" ")
        elif isinstance(event, dict):
            start, end = event.get("Start"), event.get("End")
            if start == "Paragraph" or (isinstance(start, dict) and "Heading" in start):
                words = []
            elif end == "Paragraph" or (isinstance(end, dict) and "Heading" in end):
                yield "Paragraph" if end == "Paragraph" else "Heading", " ".join("".join(words).split()), (span["start"], span["end"])
            elif not removed or span["start"] < removed[-1][0]:
                words += [str(event[sort]) for sort in ("Text", "Code") if sort in event]
                words.append(raw_html.without_tags(event.get("InlineHtml", "")))


def _inline_html(body: str) -> list[tuple[str, int, int]]:
    """The raw HTML among the words of a text with its ranges in bytes; a block of HTML is an empty piece."""
    found: list[tuple[str, int, int]] = []
    event: Any
    for event, span in pyromark.events_with_range(body) if "<" in body else ():
        if isinstance(event, dict) and "InlineHtml" in event:
            found.append((event["InlineHtml"], span["start"], span["end"]))
        elif isinstance(event, dict) and event.get("Start") == "HtmlBlock":
            found.append(("", span["start"], span["end"]))
    return found


def _relinked(body: str, path: str, kind: Kind) -> tuple[str, dict[str, str]]:
    """The text with links to notes' files led to their pages and links to files beside them made whole; new address to old."""
    data = body.encode()
    former: dict[str, str] = {}
    edits: list[tuple[int, int, bytes]] = []
    event: Any
    for event, span in pyromark.events_with_range(body):
        start, end = span["start"], span["end"]
        inside = data[start:end]
        opened = event.get("Start") if isinstance(event, dict) else None
        link = (opened.get("Link") or opened.get("Image")) if isinstance(opened, dict) else None
        if link and link["link_type"] == "Inline":
            edits += _replaced(inside, link["dest_url"], start, path, kind, former)
        elif isinstance(event, dict) and (raw := event.get("Html") or event.get("InlineHtml")):
            edits += _attributes(raw, start, path, kind, former)
    for label, found in _PARSER.reference_definitions(body).items():
        begin, end = found["span"]["start"], found["span"]["end"]
        if not label.startswith("^"):
            edits += _replaced(data[begin:end], found["dest"], begin, path, kind, former)
    for begin, end, put in sorted(edits, reverse=True):
        data = data[:begin] + put + data[end:]
    return data.decode(), former


_PARSER = pyromark.Markdown()
Edit = tuple[int, int, bytes]


def _replaced(inside: bytes, href: str, start: int, path: str, kind: Kind, former: dict[str, str]) -> Iterator[Edit]:
    """The destination of a link, where it stands last in the link's own text, led to what it means."""
    whole = _whole(href, path, kind)
    if whole == href:
        return
    places = [found.end() for found in re.finditer(rb"\](?:\(|:)\s*<?" + re.escape(href.encode()), inside)]
    if places:
        former[whole] = href
        end = start + places[-1]
        yield end - len(href.encode()), end, whole.encode()


def _attributes(raw: str, start: int, path: str, kind: Kind, former: dict[str, str]) -> Iterator[Edit]:
    """The addresses in raw HTML led to what they mean."""
    for found in _ATTRIBUTE.finditer(raw):
        href = found[2][1:-1]
        whole = _whole(href, path, kind)
        if whole != href:
            former[whole] = href
            begin = start + len(raw[: found.start(2) + 1].encode())
            yield begin, begin + len(href.encode()), whole.encode()


def _whole(href: str, path: str, kind: Kind) -> str:
    """The address of a note's page or of a file beside notes, from the address that a note at this path gives; any other as it is."""
    if not href or href.startswith(("#", "//", "?")) or scheme(href):
        return href
    target, mark, fragment = href.partition("#")
    place = posixpath.normpath(posixpath.join("/", posixpath.dirname(path), target)).lstrip("/")
    if _NOTE.fullmatch(href):
        slug = slug_of(unquote(place))
        return f"/{kind.name}/{slug}/{mark}{fragment}" if slug else href
    return f"/{place}{mark}{fragment}" if attached(unquote(place)) and not href.startswith("/") else href
