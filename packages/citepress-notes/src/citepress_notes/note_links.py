"""Links of a plain note: rewritten to the pages and files they mean, with the author's text kept for messages."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urljoin

import pyromark

from citepress.base.slugs import digest_slug, plain_letters, slug_of_path, slugify, tag_slug
from citepress.content.cjk_emphasis import Replacement
from citepress.content.dialects import COMMON, Dialect, as_byte_edits, dialect_edits
from citepress.content.files import MARKDOWN_ENDINGS, is_markdown
from citepress.content.links import scheme
from citepress.content.rewritten import AddressEdit, Rewritten
from citepress_notes.attachments import is_attachment
from citepress_notes.callout_marks import callout_edits
from citepress_notes.callouts import indented_edits
from citepress_notes.document_texts import text_stem
from citepress_notes.graph import graph_edits
from citepress_notes.mdx import mdx_edits, without_code
from citepress_notes.pelican_rules import CODE_LANGUAGE, LINK, SPACED_LINK
from citepress_notes.plain_shortcodes import shortcode_edits
from citepress_notes.site_notation import notation_edits
from citepress_notes.tool_comments import hidden_ranges
from citepress_notes.vault import Vault

_NOTE = re.compile(rf"[^:?#]+(?:{'|'.join(map(re.escape, MARKDOWN_ENDINGS))})(#.*)?", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(\b(?:src|href)\s*=\s*)("[^"]*"|'[^']*')""", re.IGNORECASE)
_PARSER = pyromark.Markdown()


_WITHOUT_ENDING = re.compile(r"(?:[^?]*/)?[^./?#][^./?]*")
_FROM_TOP = re.compile(r"^(?:@site|pathname://)(?=/)")
"""Docusaurus: a path from the top of the folder (``@site``), or of a file that is not a page (``pathname:``)."""
_IN_CONTENT = re.compile(r"^@/(?=[^@]*\.md\b)")
"""Zola: a file of the folder of content."""
Apart = Mapping[str, str]
"""Slugs of notes by their paths, where another note has the slug of the path."""


def slug_of(path: str, apart: Apart = MappingProxyType({})) -> str:
    """The slug of a note: that of its path without the ending."""
    return apart.get(path) or slug_of_path(text_stem(path))


def slugs_apart(paths: Sequence[str]) -> Apart:
    """Slugs of the notes whose paths have one slug with that of a note before, as ``Case.md`` and ``case.md`` do."""
    taken: dict[str, str] = {}
    return {path: digest_slug(slug, path) for path in paths if taken.setdefault(slug := slug_of(path), path) != path}


def former_slugs(path: str, slug: str, apart: Apart = MappingProxyType({})) -> tuple[str, ...]:
    """Other slugs by which the note at a path is linked, or was before letters with marks counted."""
    stem, own = text_stem(path), slug_of(path, apart)
    former = slugify(stem) if own == slugify(plain_letters(stem)) else ""  # what others may have too leads nowhere
    return tuple(dict.fromkeys(other for other in (own, former) if other and other != slug))


class NotePlace(NamedTuple):
    """Where a note is."""

    path: str
    collection: str
    apart: Apart
    vault: Vault | None
    public: str = ""
    """The path at which its tool published it, from which relative links begin; empty if none is known."""

    def address_of(self, path: str) -> str:
        """The public address of the note at another path."""
        return f"/{self.collection}/{slug_of(path, self.apart)}/"


def rewrite_links(
    body: str,
    path: str,
    collection: str,
    apart: Apart = MappingProxyType({}),
    dialect: Dialect = COMMON,
    vault: Vault | None = None,
    *,
    cut: int = 0,
    public: str = "",
) -> Rewritten:
    """The text of the note at a path without what its author hid, as CommonMark, its links led to notes and files.

    ``cut``: bytes at the start of what is shown that are left out too. ``public``: the path at which its tool
    published it.
    """
    place = NotePlace(path, collection, apart, vault, public)
    shown = shown_text(body, path, dialect)
    shown = shown.with_edits([AddressEdit(0, cut, b"")] if cut else [])
    written = as_markdown(shown, place, dialect)
    return written.with_edits(sorted(_edits(written.text, place)))


def shown_text(body: str, path: str, dialect: Dialect) -> Rewritten:
    """The text of the note at a path without what its author hid and without the code of MDX."""
    shown = Rewritten.of(body, (AddressEdit(start, end, b"") for start, end in hidden_ranges(body)))
    shown = shown.with_edits(shortcode_edits(shown.text, dialect.notation))
    shown = shown.with_edits(notation_edits(shown.text, dialect.notation))
    if not is_mdx(path, dialect):
        return shown
    shown = shown.with_edits(mdx_edits(shown.text))
    above = len(shown.text) - len(shown.text.lstrip("\n"))
    return shown.with_edits([AddressEdit(0, above, b"")] if above else [])


def is_mdx(path: str, dialect: Dialect) -> bool:
    """Whether the note at a path is MDX."""
    return dialect.mdx or path.lower().endswith(".mdx")


def as_markdown(shown: Rewritten, place: NotePlace, dialect: Dialect, *, embeds: bool = True) -> Rewritten:
    """A text as CommonMark, its double brackets as links; ``embeds``: those of notes that are shown inside, too."""
    vault = place.vault
    shown = shown.with_edits(indented_edits(shown.text, without_code(shown.text)))
    shown = shown.with_edits(callout_edits(shown.text))
    if vault and vault.graph:
        shown = shown.with_edits(graph_edits(shown.text, place.path, vault.graph, place.address_of))
    shown = shown.with_edits(dialect_edits(shown.text, dialect))
    if vault is None:
        return shown
    if dialect.metadata == "pelican":
        parts = [Replacement(*match.span(), f"<{match[1]}>") for match in SPACED_LINK.finditer(shown.text)]
        parts += (Replacement(*match.span(), "") for match in CODE_LANGUAGE.finditer(shown.text))
        return shown.with_edits(as_byte_edits(shown.text, sorted(parts)))
    return shown.with_edits(list(vault.link_edits(shown.text, place.path, place.address_of, embeds=embeds)))


def _edits(body: str, place: NotePlace) -> Iterator[AddressEdit]:
    """Links to notes replaced by their pages, and links to files made absolute."""
    data = body.encode()
    event: Any  # the parser's own union of dictionaries
    for event, span in pyromark.events_with_range(body):
        if not isinstance(event, dict):
            continue
        start = span["start"]
        opening = event.get("Start")
        link = (opening.get("Link") or opening.get("Image")) if isinstance(opening, dict) else None
        if link and link["link_type"] == "Inline":
            yield from _destination(data[start : span["end"]], link["dest_url"], start, place)
        elif raw := event.get("Html") or event.get("InlineHtml"):
            yield from _attributes(raw, start, place)
    for label, definition in _PARSER.reference_definitions(body).items():
        start, end = definition["span"]["start"], definition["span"]["end"]
        if not label.startswith("^"):
            yield from _destination(data[start:end], definition["dest"], start, place)


def _destination(markup: bytes, href: str, start: int, place: NotePlace) -> Iterator[AddressEdit]:
    """The edit of a link's destination, which is the last such text in the link's own markup."""
    address = _address(href, place)
    if address == href:
        return
    ends = [match.end() for match in re.finditer(rb"\](?:\(|:)\s*<?" + re.escape(href.encode()), markup)]
    if ends:
        end = start + ends[-1]
        yield AddressEdit(end - len(href.encode()), end, address.encode())


def _attributes(raw: str, start: int, place: NotePlace) -> Iterator[AddressEdit]:
    """The edits of the addresses in raw HTML."""
    for match in _ATTRIBUTE.finditer(raw):
        href = match[2][1:-1]
        address = _address(href, place)
        if address != href:
            begin = start + len(raw[: match.start(2) + 1].encode())
            yield AddressEdit(begin, begin + len(href.encode()), address.encode())


def _address(href: str, of: NotePlace) -> str:
    """The public address of the note or file that a link in the note at a path means; other addresses unchanged."""
    href = _IN_CONTENT.sub("/content/", _FROM_TOP.sub("", href))
    if not href or href.startswith(("#", "//", "?")) or scheme(href):
        return href
    if match := LINK.fullmatch(unquote(href)):
        return _address_in_pelican(match, of)
    target, mark, fragment = href.partition("#")
    place = posixpath.normpath(posixpath.join("/", posixpath.dirname(of.path), target)).lstrip("/")
    is_note, is_file = bool(_NOTE.fullmatch(href)), is_attachment(unquote(place)) and not href.startswith("/")
    if of.vault and href.startswith("/") and is_attachment(unquote(target)):
        file = of.vault.find(unquote(target), "")
        return f"/{quote(file)}{mark}{fragment}" if file else href
    is_bare = bool(_WITHOUT_ENDING.fullmatch(target))
    if of.vault and is_bare:
        is_note = is_markdown(of.vault.find(unquote(target), of.path))
    if not (is_note or is_file or href.startswith("/")):
        if of.public:
            return urljoin(quote(of.public), href)
        is_note = is_bare and not of.vault
    if of.vault and (is_note or is_file) and (target_path := of.vault.find(unquote(target), of.path)):
        place = quote(target_path)
    if is_note:
        return f"{of.address_of(unquote(place))}{mark}{fragment}"
    return f"/{place}{mark}{fragment}" if is_file else href


def _address_in_pelican(match: re.Match[str], of: NotePlace) -> str:
    """The public address of a link in the notation of Pelican."""
    kind, rest = match[1], match[3]
    if kind == "tag":
        return f"/tags/{tag_slug(rest)}/"
    if kind not in ("filename", "static", "attach"):
        return "/" if kind == "index" else f"/{of.collection}/"
    target, mark, fragment = rest.partition("#")
    file = of.vault.find(target, "" if match[2] else of.path) if of.vault else ""
    if file and is_attachment(file):
        return f"/{quote(file)}"
    return f"{of.address_of(file or target)}{mark}{fragment}"
