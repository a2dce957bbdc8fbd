"""Reads the texts of Pelican that are not Markdown: reStructuredText and HTML documents, with their metadata."""

import re
from collections.abc import Iterator
from html import escape
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from citepress.base.errors import CitepressError
from citepress_notes.metadata_lines import MAX_METADATA_LINES

HTML = (".html", ".htm")


class UnreadableDocumentError(CitepressError):
    """A text that is no Markdown cannot be read; the message is the reason."""


_RST_LINE = re.compile(r":([A-Za-z][\w -]{0,60}):(?:[ \t]+(.*)|[ \t]*)$")
_CODE_OPTIONS = re.compile(
    r"^([ \t]*\.\. (?:code|code-block|sourcecode|highlight)::[^\n]*\n)((?:[ \t]+:[\w-]+:[^\n]*\n)+)", re.MULTILINE
)
"""Options of Pygments, which docutils does not know."""
_DIRECTIVE = re.compile(r"^[ \t]*\.\. ([a-z][\w:.-]{0,60})::", re.MULTILINE)
_ROLE = re.compile(r":([A-Za-z][\w:.+-]{0,60}):`")
_VIDEO = re.compile(r"^([ \t]*)\.\. (youtube|vimeo)::[ \t]*([\w-]+)[ \t]*\n(?:[ \t]+:[\w-]+:[^\n]*\n)*", re.MULTILINE)
_VIDEOS = {"youtube": "https://www.youtube.com/watch?v=", "vimeo": "https://vimeo.com/"}
_LEFT_OUT = re.compile(
    r"<aside class=\"(?:system-message|topic)[^>]*>.*?</aside>|<nav class=\"contents[^>]*>.*?</nav>", re.DOTALL
)
_ADMONITION = re.compile(
    r"<aside class=\"admonition[- ]?([\w -]*)\">\s*<p class=\"admonition-title\">(.*?)</p>(.*?)</aside>", re.DOTALL
)
_PLAIN_CODE = re.compile(r"<pre class=\"code ([\w+#-]+) literal-block\"><code>")
_NOTE = re.compile(r"<a class=\"(?:footnote-reference|brackets)[^>]*>(.{0,400}?)</a>", re.DOTALL)
_NOTE_BACK = re.compile(r"<a role=\"doc-backlink\"[^>]*>(.{0,400}?)</a>", re.DOTALL)
_TOC_BACK = re.compile(r"<a class=\"toc-backref\"[^>]*>(.{0,400}?)</a>", re.DOTALL)


def metadata_of_rst(text: str) -> tuple[dict[str, Any], str]:
    """The lines ``:date: …`` below the title of a reStructuredText, and the text without them."""
    members: dict[str, Any] = {}
    rest: list[str] = []
    for number, line in enumerate(text.lstrip("\n").split("\n")):
        match = _RST_LINE.match(line) if number < MAX_METADATA_LINES else None
        if match:
            members[match[1].strip().lower()] = (match[2] or "").strip()
        else:
            rest.append(line)
    return members, "\n".join(rest)


def metadata_of_html(text: str) -> tuple[dict[str, Any], str]:
    """The title and the ``<meta>`` elements of a document of HTML, and the inside of its body."""
    parser = lxml_html.HTMLParser(remove_comments=True, remove_pis=True, no_network=True, huge_tree=False)
    try:
        root = lxml_html.document_fromstring(text, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableDocumentError(f"it cannot be read as HTML: {error}") from None
    members = {
        name.strip().lower(): str(meta.get("content") or "").strip()
        for meta in root.iter("meta")
        if (name := str(meta.get("name") or ""))
    }
    if title := " ".join((root.findtext(".//title") or "").split()):
        members.setdefault("title", title)
    if "keywords" in members:
        members.setdefault("tags", members["keywords"])
    if not members.get("title"):
        raise UnreadableDocumentError("it is HTML without a title, which Pelican does not read")
    members = {key: value for key, value in members.items() if key not in ("viewport", "generator", "keywords")}
    body = root.find("body")
    inside = () if body is None else (escape(body.text or "", quote=False), *_elements(body))
    return members, "".join(inside).strip()


def _elements(body: Any) -> Iterator[str]:  # noqa: ANN401  (lxml's elements are loosely typed)
    yield from (lxml_html.tostring(child, encoding="unicode") for child in body)


def from_rst(text: str) -> tuple[str, str]:
    """Title and HTML of a reStructuredText; nothing is included, run or fetched. Raises ``UnreadableDocumentError``."""
    if find_spec("docutils") is None:
        raise UnreadableDocumentError("it is reStructuredText: install 'citepress-notes[rst]' to read it")
    _register_unknown(text)
    text = _VIDEO.sub(lambda match: f"{match[1]}`Video <{_VIDEOS[match[2]]}{match[3]}>`__\n\n", text)
    text = _CODE_OPTIONS.sub(lambda match: match[1], text)
    # Raw HTML is cleaned when it becomes Markdown; files that it names are not read.
    safe = {
        "file_insertion_enabled": False, "raw_enabled": True, "halt_level": 5, "report_level": 5,
        "_disable_config": True,
        "initial_header_level": 2, "syntax_highlight": "none", "math_output": "LaTeX", "line_length_limit": 100_000,
    }  # fmt: skip
    parts = import_module("docutils.core").publish_parts(text, writer="html5", settings_overrides=safe)
    # A lone section below the title is a subtitle, which is no part of the body.
    subtitle = f"<h2>{parts['subtitle']}</h2>" if parts["subtitle"] else ""
    body = subtitle + _LEFT_OUT.sub("", str(parts["body"]))
    body = _ADMONITION.sub(lambda match: f"<blockquote><p><strong>{match[2]}</strong></p>{match[3]}</blockquote>", body)
    body = _PLAIN_CODE.sub(r'<pre><code class="language-\1">', body)
    body = _TOC_BACK.sub(r"\1", _NOTE_BACK.sub(r"\1", _NOTE.sub(r"<sup>\1</sup>", body)))
    return re.sub(r"<[^>]*>", "", str(parts["title"])), body


def _register_unknown(text: str) -> None:
    """Register the roles and directives of a text that docutils does not know, so that their words are shown."""
    nodes, rst = import_module("docutils.nodes"), import_module("docutils.parsers.rst")
    roles, directives = import_module("docutils.parsers.rst.roles"), import_module("docutils.parsers.rst.directives")
    english = import_module("docutils.parsers.rst.languages.en")
    for name in set(_ROLE.findall(text)) - english.roles.keys():
        roles.register_local_role(name, roles.GenericRole(name, nodes.inline))

    class Inside(rst.Directive):  # type: ignore[misc,name-defined]  # (docutils is an extra)
        """Shows what is inside of a directive."""

        has_content = True
        optional_arguments = 100
        final_argument_whitespace = True

        def run(self) -> list[Any]:
            """The inside, without its argument and options."""
            element = nodes.container()
            if not self.content:
                return [nodes.paragraph("", " ".join(self.arguments))]
            self.state.nested_parse(self.content, self.content_offset, element)
            return list(element.children)

    for name in set(_DIRECTIVE.findall(text)) - english.directives.keys():
        directives.register_directive(name, Inside)
