"""HTML of an export as Markdown; what Markdown cannot say stays HTML of the harmless subset."""

import re
from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from citepress.content import raw_html
from citepress.content.text_links import destination
from citepress_notes.plain_html import player
from citepress_notes.word_lists import word_list

MAX_ELEMENT_DEPTH = 60
"""Elements inside one another that are told apart; what is deeper is read as its words."""
HEADINGS = {"h1": 2, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
STRONG = {"strong": "**", "b": "**", "em": "*", "i": "*", "del": "~~", "s": "~~", "strike": "~~"}
KEPT_ELEMENTS = word_list("kept elements")
"""Elements that Markdown has no mark for."""
BLOCKS = word_list("block elements")
DROPPED = word_list("dropped elements")
_LANGUAGE = re.compile(r"(?:language-|lang-|brush: ?|highlight-source-)([\w+#.-]+)")
_MARKS = re.compile(r"([\\`*\[\]])|(?<!\w)(_)|(_)(?!\w)|(<)|(&)(?=#?\w+;)|(~)(?=~)|(\|)")
_LINE_START = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|=+\s*$|-+\s*$|\d{1,9}(?=[.)](?:\s|$)))")
_SPACES = re.compile(r"[ \t\r\n\f]+")


def to_markdown(text: str, counts: Counter[str]) -> str:
    """A fragment of HTML as Markdown; ``counts`` counts the elements that were left out."""
    if not text.strip():
        return ""
    parser = lxml_html.HTMLParser(remove_comments=True, remove_pis=True, no_network=True, huge_tree=False)
    try:
        root = lxml_html.fragment_fromstring(text, create_parent="div", parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return escape(raw_html.without_tags(text), quote=False)
    lines = _Writer(counts).blocks(root, 0)
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n")


class _Writer:
    """Writes elements as Markdown."""

    def __init__(self, counts: Counter[str]) -> None:
        self._counts = counts

    def blocks(self, element: Any, depth: int) -> str:  # noqa: ANN401  (lxml's elements are loosely typed)
        """The inside of an element as blocks, each between blank lines."""
        if depth > MAX_ELEMENT_DEPTH:
            return f"\n\n{_escaped(_words(element))}\n\n"
        parts: list[str] = []
        run: list[str] = [_escaped(_SPACES.sub(" ", element.text or ""))]
        for child in element:
            block = self._block(child, depth + 1) if isinstance(child.tag, str) else ""
            if block is None:
                run.append(self._inline(child, depth + 1))
            elif isinstance(child.tag, str):
                parts += (_paragraph(run), block)
                run = []
            run.append(_escaped(_SPACES.sub(" ", child.tail or "")))
        return "".join((*parts, _paragraph(run)))

    def _block(self, element: Any, depth: int) -> str | None:  # noqa: ANN401, PLR0911  (one return for each family)
        """An element as a block; ``None`` for one among words."""
        name = element.tag.lower()
        if name in HEADINGS:
            words = self._inside(element, depth).replace("\n", " ").strip()
            return f"\n\n{'#' * HEADINGS[name]} {words}\n\n" if words else ""
        if name == "pre":
            return _fenced(element)
        if name in ("ul", "ol"):
            return f"\n\n{self._list(element, depth)}\n\n"
        writer = {"blockquote": self._quote, "table": self._table, "figure": self._figure}.get(name)
        writer = self._html_with_markdown if name in ("dl", "details") else writer
        if writer or name == "hr":
            return f"\n\n{writer(element, depth) if writer else '---'}\n\n"
        if name in DROPPED:
            self._counts[name] += 1
            return ""
        if name in ("iframe", "video", "audio", "embed"):
            self._counts[name] += 1
            source = next((str(item.get("src")) for item in element.iter("source") if item.get("src")), "")
            return f"\n\n{player(name, dict(element.attrib), source)}\n\n"
        return f"\n\n{self.blocks(element, depth)}\n\n" if name in BLOCKS else None

    def _quote(self, element: Any, depth: int) -> str:  # noqa: ANN401
        return _prefixed(self.blocks(element, depth).strip(), "> ", "> ")

    def _figure(self, element: Any, depth: int) -> str:  # noqa: ANN401
        captions = list(element.iter("figcaption"))
        caption = " ".join(self._inside(child, depth).strip() for child in captions)
        for child in captions:
            child.tail, parent = None, child.getparent()
            parent.remove(child)
        inside = self.blocks(element, depth).strip()
        below = f"\n\n*{caption.strip('*')}*" if caption else ""
        return f"\n\n{inside}{below}\n\n"

    def _list(self, element: Any, depth: int) -> str:  # noqa: ANN401
        rows: list[str] = []
        number = int(element.get("start", "1")) if str(element.get("start", "1")).isdigit() else 1
        loose = False
        for child in element:
            if not isinstance(child.tag, str):
                continue
            mark = f"{number}. " if element.tag == "ol" else "- "
            number += 1
            text = re.sub(r"\n{3,}", "\n\n", self.blocks(child, depth + 1).strip("\n"))
            if not any(item.tag == "p" for item in child):
                text = re.sub(r"\n\n(?=(?:-|\d+\.) )", "\n", text)
            loose = loose or "\n\n" in text
            rows.append(mark + _prefixed(text, "", " " * len(mark)))
        return ("\n\n" if loose else "\n").join(rows)

    def _table(self, element: Any, depth: int) -> str:  # noqa: ANN401
        """A table as GitHub writes it; as HTML where it has cells that Markdown cannot say."""
        rows = [[cell for cell in row if cell.tag in ("td", "th")] for row in element.iter("tr")]
        rows = [row for row in rows if row]
        plain = all(
            not (cell.get("rowspan", "1") != "1" or cell.get("colspan", "1") != "1")
            and not any(True for _ in cell.iter("ul", "ol", "table", "pre", "blockquote"))
            for row in rows
            for cell in row
        )
        caption = next(element.iter("caption"), None)
        if not rows:
            return ""
        if not plain:
            return self._as_html(element)
        width = max(len(row) for row in rows)
        cells = [
            [self._inside(cell, depth + 1).replace("\n", " ").strip() for cell in row] + [""] * (width - len(row))
            for row in rows
        ]
        lines = [f"| {' | '.join(row)} |" for row in cells]
        above = f"{self._inside(caption, depth).strip()}\n\n" if caption is not None else ""
        return above + "\n".join([lines[0], f"| {' | '.join(['---'] * width)} |", *lines[1:]])

    def _as_html(self, element: Any) -> str:  # noqa: ANN401
        source = lxml_html.tostring(element, encoding="unicode", with_tail=False)
        source = raw_html.canonical(source, lambda _: True)
        return re.sub(r"\n\s*\n", "\n", source)

    def _inline(self, element: Any, depth: int) -> str:  # noqa: ANN401, PLR0911  (one return for each family)
        """An element among words."""
        name = element.tag.lower()
        if name == "br":
            return "\\\n"
        if name == "img":
            return _image(element)
        if name in ("code", "tt"):
            return _code(_words(element))
        inside = self._inside(element, depth)
        if name == "a":
            href = (element.get("href") or "").strip()
            return f"[{inside.strip()}]({destination(href)})" if href and inside.strip() else inside
        if name in STRONG:
            return _marked(inside, STRONG[name])
        if name in KEPT_ELEMENTS:
            return f"<{name}>{inside}</{name}>" if name != "wbr" else "<wbr>"
        return inside

    def _inside(self, element: Any, depth: int) -> str:  # noqa: ANN401
        if depth > MAX_ELEMENT_DEPTH:
            return _escaped(_words(element))
        parts = [_escaped(_SPACES.sub(" ", element.text or ""))]
        for child in element:
            if isinstance(child.tag, str):
                block = self._block(child, depth + 1)
                parts.append(self._inline(child, depth + 1) if block is None else _in_line(block))
            parts.append(_escaped(_SPACES.sub(" ", child.tail or "")))
        return "".join(parts)

    def _html_with_markdown(self, element: Any, depth: int) -> str:  # noqa: ANN401
        """An element that stays HTML, with Markdown between its tags."""
        lines = [f"<{element.tag}>"]
        for child in element:
            if not isinstance(child.tag, str):
                continue
            if child.tag in ("dt", "summary"):
                lines.append(f"<{child.tag}>{self._inside(child, depth).strip()}</{child.tag}>")
            else:
                tag = "dd" if child.tag == "dd" else ""
                text = (
                    self.blocks(child, depth).strip()
                    if tag
                    else (self._block(child, depth) or self._inline(child, depth)).strip()
                )
                lines += [f"<{tag}>" if tag else "", "", text, "", f"</{tag}>" if tag else ""]
            if child.tail and child.tail.strip():
                lines += ["", _escaped(_SPACES.sub(" ", child.tail)).strip(), ""]
        return "\n".join([*lines, f"</{element.tag}>"])


def _words(element: Any) -> str:  # noqa: ANN401
    return "".join(str(text) for text in element.itertext())


def _paragraph(run: list[str]) -> str:
    text = "".join(run).strip()
    while text.endswith("\\"):
        text = text[:-1].rstrip()
    if not text:
        return ""
    lines = [_LINE_START.sub(r"\1\\\2", line.strip(" ")) if line[:1] != "\x00" else line for line in text.split("\n")]
    lines = [re.sub(r"^\\(\d+)(?=[.)])", r"\1\\", line) for line in lines]
    return "\n\n" + "\n".join(lines) + "\n\n"


def _in_line(block: str) -> str:
    text = " ".join(block.split())
    return f" {text} " if text else ""


def _escaped(text: str) -> str:
    def mark(match: re.Match[str]) -> str:
        char = match[0]
        return {"<": "&lt;", "&": "&amp;"}.get(char, f"\\{char}")

    return _MARKS.sub(mark, text)


def _marked(inside: str, mark: str) -> str:
    bare = inside.strip()
    if not bare:
        return inside
    lead, tail = inside[: len(inside) - len(inside.lstrip())], inside[len(inside.rstrip()) :]
    return f"{lead}{mark}{bare}{mark}{tail}"


def _code(text: str) -> str:
    text = _SPACES.sub(" ", text)
    ticks = "`"
    while ticks in text:
        ticks += "`"
    pad = " " if text[:1] in ("`", " ") or text[-1:] in ("`", " ") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}" if text.strip() else ""


def _image(element: Any) -> str:  # noqa: ANN401
    source = (element.get("src") or element.get("data-src") or "").strip()
    if not source or source.startswith("data:"):
        return ""
    words = re.sub(r"[\[\]\n]", " ", element.get("alt") or "").strip()
    title = (element.get("title") or "").replace('"', "'").replace("\n", " ")
    shown = f' "{title}"' if title and title != words else ""
    return f"![{words}]({destination(source)}{shown})"


def _fenced(element: Any) -> str:  # noqa: ANN401
    code = next(element.iter("code"), None)
    names = " ".join(str(item.get("class") or "") for item in (element, code) if item is not None)
    names += f" language-{element.get('lang')}" if element.get("lang") else ""
    language = _LANGUAGE.search(names)
    for item in element.iter("br"):
        item.tail = "\n" + (item.tail or "")
    text = _words(element).strip("\n")
    marks = "```"
    while marks in text:
        marks += "`"
    return f"\n\n{marks}{language[1] if language else ''}\n{text}\n{marks}\n\n"


def _prefixed(text: str, first: str, rest: str) -> str:
    return "\n".join(_prefixed_lines(text, first, rest))


def _prefixed_lines(text: str, first: str, rest: str) -> Iterator[str]:
    for place, line in enumerate(text.split("\n")):
        lead = rest if place else first
        yield f"{lead}{line}" if line else lead.rstrip()
