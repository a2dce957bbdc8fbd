"""The readable text of an answer, and what it says of itself: title, date, language."""

import codecs
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import brotli
import lxml.html
from trafilatura import bare_extraction, html2txt
from trafilatura.settings import DEFAULT_CONFIG

from citepress.base.text import bounded

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
TEXT_TYPES = frozenset({"application/json", "application/ld+json", "application/xml", "application/yaml"})
MAX_READABLE_BYTES = 2_097_152
"""Bytes of an answer whose text is read; a larger one is kept, but has no readable text."""
MAX_TITLE_CHARS = 300
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9._-]{1,40})", re.IGNORECASE)
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([A-Za-z0-9._-]{1,40})", re.IGNORECASE)
_NO_TEXTS = frozenset(
    {"unicode-escape", "unicode_escape", "raw-unicode-escape", "raw_unicode_escape", "utf-7", "punycode", "idna"}
)
"""Codecs of Python that no browser reads: they make characters, even half ones, of plain ASCII."""
_XML_DECLARATION = re.compile(r"\s{0,100}<\?xml[^>]{0,200}\?>")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
UNREAD = ("script", "style", "noscript", "template")
AROUND = ("nav", "footer", "aside", "form", "iframe", "dialog")
"""Elements that are around the text of a page, not part of it."""
DECLARED_DATES = {"original_date": True, "extensive_search": False}
"""Dates that a page declares of itself or has in its address; not every year that its text speaks of."""


@dataclass(frozen=True, slots=True)
class ReadableText:
    """The text of an answer."""

    text: str = ""
    """Its main text without navigation and the like; empty where it has none that can be read."""
    title: str = ""
    dated: str = ""
    """As YYYY-MM-DD."""
    language: str = ""
    """A BCP 47 tag."""


def readable(fields: Mapping[str, str], body: bytes, url: str) -> ReadableText:
    """The readable text of an answer by its header fields; empty for media without one."""
    text, is_html = _characters(fields, body)
    language = fields.get("content-language", "")
    tree = _tree(text) if is_html else None
    return (
        ReadableText("" if is_html else text, language=_tag(language))
        if tree is None
        else _main_text(tree, url, language)
    )


def whole_text(fields: Mapping[str, str], body: bytes) -> str:
    """All text of an answer, tables and footers included, in which a quote may stand too."""
    text, is_html = _characters(fields, body)
    tree = _tree(text) if is_html else None
    return text if tree is None else str(html2txt(tree, clean=False))


def _characters(fields: Mapping[str, str], body: bytes) -> tuple[str, bool]:
    """The characters of an answer, and whether they are HTML; none for media without a text."""
    media, _, parameters = fields.get("content-type", "").partition(";")
    media = media.strip().lower()
    data = _decoded(fields.get("content-encoding", ""), body)
    if data is None or len(data) > MAX_READABLE_BYTES:
        return "", False
    if media in HTML_TYPES or (not media and data.lstrip()[:1] == b"<"):
        return _text(data, parameters, html=True), True
    if media.startswith("text/") or media in TEXT_TYPES or media.endswith(("+json", "+xml")):
        return _text(data, parameters, html=False), False
    return "", False


def _tree(html: str) -> Any:  # noqa: ANN401  (an element of lxml)
    """A page without what is no text; ``None`` where it cannot be read."""
    try:
        # The encoding that a declaration names is that of the bytes; of characters it would be a fault.
        tree = lxml.html.document_fromstring(_XML_DECLARATION.sub("", html, count=1))
    except (ValueError, lxml.etree.LxmlError):
        return None
    _without(tree, *UNREAD)
    return tree


def _main_text(tree: Any, url: str, language: str) -> ReadableText:  # noqa: ANN401  (an element of lxml)
    declared = tree.get("lang") or tree.get("xml:lang") or language
    title = tree.findtext(".//title") or ""
    _without(tree, *AROUND)
    extracted: Any = bare_extraction(
        tree,
        url=url,
        with_metadata=True,
        include_comments=False,
        include_tables=True,
        date_extraction_params=DECLARED_DATES,
        config=DEFAULT_CONFIG,
    )
    if not extracted:
        return ReadableText(title=_line(title), language=_tag(declared))
    return ReadableText(
        extracted.text or "",
        _line(extracted.title or title),
        (extracted.date or "")[:10],
        _tag(declared),
    )


def _without(tree: Any, *names: str) -> None:  # noqa: ANN401  (an element of lxml)
    """Take elements out of a page."""
    for element in [part for name in names for part in tree.iter(name)]:
        if element.getparent() is not None:
            element.drop_tree()


def _line(title: str) -> str:
    """A title on one line, without control characters."""
    return bounded(_CONTROLS.sub(" ", title), MAX_TITLE_CHARS)


def _tag(written: str) -> str:
    match = _LANGUAGE.match(written.strip().replace("_", "-"))
    return match[0] if match else ""


def _text(data: bytes, parameters: str, *, html: bool) -> str:
    """The characters of a body by its declared charset, or UTF-8; what cannot be read is replaced."""
    declared = _CHARSET.search(parameters)
    within = _META_CHARSET.search(data[:2048]) if html and not declared else None
    name = declared[1] if declared else within[1].decode("ascii") if within else "utf-8"
    try:
        name = codecs.lookup(name).name
        return data.decode("utf-8" if name in _NO_TEXTS else name, "replace")
    except (LookupError, UnicodeError):  # no charset of this name, or one that is none of texts
        return data.decode("utf-8", "replace")


def _decoded(coding: str, body: bytes) -> bytes | None:
    """The body without its content coding; ``None`` where that is unknown, damaged or hides too much."""
    coding = coding.strip().lower()
    if coding in {"", "identity"}:
        return body
    if coding == "br":
        return _unpacked_brotli(body)
    if coding not in {"gzip", "x-gzip", "deflate"}:
        return None
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(body, MAX_READABLE_BYTES + 1)
    except zlib.error:
        return None


def _unpacked_brotli(body: bytes) -> bytes | None:
    """A body that a host packed with brotli though nobody asked for it; ``None`` where it is cut off or holds more."""
    decompressor = brotli.Decompressor()
    try:
        data: bytes = decompressor.process(body, output_buffer_limit=MAX_READABLE_BYTES + 1)
    except brotli.error:
        return None
    return data if decompressor.is_finished() else None
