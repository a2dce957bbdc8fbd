"""Reads the texts of Pelican that are not Markdown: reStructuredText and HTML documents, with their metadata."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from citepress.base.errors import CitepressError
from citepress.content import json_loader
from citepress.content.files import markdown_stem
from citepress.content.source_map import FrontMatter, FrontMatterFormat, split
from citepress.content.value_marks import Marks
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.html_to_markdown import to_markdown
from citepress_notes.metadata_lines import MAX_METADATA_LINES, with_lists

HTML = (".html", ".htm")
DOCUMENTS = {"pelican": (".rst", *HTML), "hugo": HTML, "jekyll": HTML, "hexo": HTML}
"""Endings of texts that are no Markdown, by the tools that publish them."""


_MARKUP = re.compile(r"<(script|style|svg|form)\b.*?</\1>|<[^>]*>|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL | re.IGNORECASE)
_LISTS = re.compile(r"\b(?:site|paginator)\.(?:posts|tags|categories|pages|documents)\b")


def has_words(text: str) -> bool:
    """Whether a document with front matter has a text of its own, and is no list that the tool makes."""
    text = text.lstrip("\ufeff\n")
    body = text.partition(f"\n{text[:3]}")[2]
    is_page = text.startswith(("---\n", "+++\n")) and not _LISTS.search(body)
    return is_page and re.search(r"\w", _MARKUP.sub(" ", body)) is not None


def is_document(path: str) -> bool:
    """Whether a text is no Markdown, by its name."""
    return path.lower().endswith((".rst", *HTML))


def text_stem(path: str) -> str:
    """The path of a text without its ending."""
    return path[: path.rindex(".")] if is_document(path) else markdown_stem(path)


class UnreadableDocumentError(CitepressError):
    """A text that is no Markdown cannot be read; the message is the reason."""


_TEMPLATE_TAG = re.compile(r"\{\{.{0,2000}?\}\}|\{%.{0,2000}?%\}", re.DOTALL)
_AS_WORDS, _AS_MARKS = {2: 0xE000, 3: 0xE001}, {0xE000: 2, 0xE001: 3}
"""The marks of hidden pieces as characters that a reader of HTML keeps, and back."""
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


def from_html(text: str, counts: Counter[str], *, templated: bool = False) -> str:
    """HTML as Markdown; ``counts`` counts the elements that were left out. ``templated``: tags of templates stay."""
    if not templated:
        return to_markdown(text, counts)
    tags = HiddenCode()
    marked = _TEMPLATE_TAG.sub(lambda match: tags.put(match[0]).translate(_AS_WORDS), text)
    return tags.shown(to_markdown(marked, counts).translate(_AS_MARKS))


def document_matter(text: str, path: str) -> FrontMatter:
    """Metadata and text, as Markdown, of a file that is no Markdown. Raises ``UnreadableDocumentError``."""
    matter = split(text.lstrip("\ufeff\n"))
    if path.lower().endswith(".rst"):
        members, rest = metadata_of_rst(text)
        title, body = from_rst(rest) if rest.strip() else ("", "")
        members = {"title": title, **members} if title else members
    elif matter.front is not None and matter.closed:
        return replace(matter, body=from_html(matter.body, Counter(), templated=True))
    else:
        members, body = metadata_of_html(text)
    form = FrontMatterFormat("metadata", "", json_loader.load, lambda *_, **__: Marks())
    return FrontMatter(json.dumps(with_lists(members)), to_markdown(body, Counter()), 1, format=form)


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
