"""One page on its way to HTML: its running text made safe, its anchors kept apart, its tables numbered."""

import re
from html import unescape

import nh3
from markupsafe import Markup

from citepress.base.ids import slugify
from citepress.contract.page import Page, Prose
from citepress.edition.forms.pen import Pen
from citepress.edition.forms.prose import DEEPEST, PARSER, tame

SKELETON = ("main", "top", "text")
"""Ids that the theme itself uses."""
CLEANER = nh3.Cleaner(
    tags={
        "a", "blockquote", "br", "code", "del", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "img", "li", "ol", "p", "pre", "strong",
        "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
    },
    attributes={"a": {"href", "title"}, "img": {"src", "alt", "title"}, "ol": {"start"}, "div": {"id"}},
    allowed_classes={
        "td": {"left", "center", "right"}, "th": {"left", "center", "right"}, "div": {"footnote-definition"},
        "sup": {"footnote-reference", "footnote-definition-label"},
    },
    url_schemes={"http", "https", "mailto"},
    link_rel=None,
)  # fmt: skip
"""The second guard after ``tame``: nothing else reaches a page."""
_HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_ALIGNED = re.compile(r'<(t[hd]) style="text-align: (left|center|right)">')
_IMAGE = re.compile(r'<img ((?:[^">]|"[^"]*")*)>')
_SOURCE = re.compile(r'(?:^| )src="([^"]*)"')
_ADDRESS = re.compile(r'<a href="(https?:[^"]*)"')


class Paper:
    """Writes the running text of one page, and knows which anchors and numbers the page has used."""

    def __init__(self, page: Page, pen: Pen) -> None:
        """A fresh page."""
        self._pen = pen
        self._path = page.path
        self._used = {*SKELETON, *(block.id for block in page.blocks if block.id)}
        self._regions: set[str] = set()

    def region(self, name: str = "") -> str:
        """The label of the next table's region; no two regions of a page are labelled alike."""
        number = len(self._regions) + 1
        label = name or f"Table {number}"
        if label in self._regions:
            label = f"{label} ({number})"
        self._regions.add(label)
        return label

    def prose(self, block: Prose) -> Markup:
        """Running text as safe HTML with anchored headings; raw HTML in it is shown as text."""
        level = 3 if block.title else 2
        text = block.markdown
        if "<" in text or self._pen.href("/") != "/":  # all that needs the source to be read; destinations and headings do not
            text = tame(text, level, self._pen.href)
        html = PARSER.html(text)
        if "<table>" in html:
            html = _ALIGNED.sub(r'<\1 class="\2">', html)
        if '<div class="footnote' in html:
            html = _footnotes(html, f"{block.id or 'text'}-note-")
        return Markup(self._dressed(CLEANER.clean(html), level))  # noqa: S704  (cleaned)

    def _dressed(self, clean: str, level: int) -> str:
        """Clean HTML with what the theme adds: anchors, regions that scroll, marks on links elsewhere."""
        clean = self._headings(clean, level)
        clean = clean.replace('<a href="">', "<a>").replace("<pre>", '<pre tabindex="0">')
        if "<img " in clean:
            clean = _IMAGE.sub(self._image, clean)
        clean = _ADDRESS.sub(self._address, clean)
        if "<table>" in clean:
            clean = re.sub("<table>", self._region, clean).replace("</table>", "</table></div>")
        return clean

    def _headings(self, clean: str, level: int) -> str:
        """Headings begin at ``level``, go no more than one step down at a time, and have anchors."""
        depths = [int(found[1]) for found in _HEADING.finditer(clean)]
        last = level - 1

        def write(found: re.Match[str]) -> str:
            nonlocal last
            last = min(int(found[1]) - min(depths) + level, last + 1, DEEPEST)
            return f'<h{last} id="{self._anchor(found[2])}">{found[2]}</h{last}>'

        return _HEADING.sub(write, clean) if depths else clean

    def _anchor(self, heading: str) -> str:
        stem = slugify(unescape(_TAG.sub("", heading))) or "section"
        name, count = stem, 1
        while name in self._used:
            count += 1
            name = f"{stem}-{count}"
        self._used.add(name)
        return name

    def _image(self, found: re.Match[str]) -> str:
        """An image that is fetched when it comes into sight, and keeps its place until then."""
        source = _SOURCE.search(found[1])
        size = self._pen.size(unescape(source[1]), self._path) if source else None
        sides = f' width="{size.width}" height="{size.height}"' if size else ""
        return f'<img loading="lazy"{sides} {found[1]}>'

    def _address(self, found: re.Match[str]) -> str:
        return f'{found[0]} rel="external"' if self._pen.elsewhere(unescape(found[1])) else found[0]

    def _region(self, _found: re.Match[str]) -> str:
        return f'<div class="scroll" role="region" aria-label="{self.region()}" tabindex="0"><table>'


def _footnotes(html: str, stem: str) -> str:
    """Footnotes under names of their own block."""
    html = html.replace('<div class="footnote-definition" id="', f'<div class="footnote-definition" id="{stem}')
    return html.replace('<sup class="footnote-reference"><a href="#', f'<sup class="footnote-reference"><a href="#{stem}')
