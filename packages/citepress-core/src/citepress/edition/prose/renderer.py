"""One page on its way to HTML: its running text made safe, its anchors kept apart, its tables numbered."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from html import escape, unescape

import nh3
from markupsafe import Markup

from citepress.base.languages import is_in
from citepress.content import raw_html
from citepress.content.commonmark import PARSER
from citepress.content.heading_ids import without_id
from citepress.content.headings import RESERVED, Anchors, headings
from citepress.content.nesting import too_deep
from citepress.contract.page import (
    INTERFACE,
    SOURCE_ANCHOR,
    Block,
    Cards,
    Chart,
    Cite,
    Code,
    Facets,
    Facts,
    Items,
    Link,
    Notice,
    NumberedSource,
    Page,
    Pager,
    Prose,
    SearchField,
    Siblings,
    Sources,
)
from citepress.edition.prose.footnotes import FOOTNOTE, footnotes_last
from citepress.edition.prose.formulas import with_formulas
from citepress.edition.prose.highlighting import with_colours
from citepress.edition.prose.html_parts import SHORT, LinkWriter, lang
from citepress.edition.prose.paragraphs import with_paragraph_ids
from citepress.edition.prose.rendered_html import CALLOUT_CLASSES, LABEL, with_labels, with_links
from citepress.edition.prose.sanitizer import MAX_CLEANED_DEPTH, sanitize, whole
from citepress.edition.prose.source_marks import source_marks, with_marks

RECORDS = frozenset({"record", "revision"})
"""Templates of pages whose text is that of a record."""
BODY = "text"
"""The template of record pages, and the id of the block that holds the text of a record."""
CLEANER = nh3.Cleaner(
    tags={*raw_html.PASSED, *raw_html.HEADINGS, "span"},
    attributes={
        **{name: set(attributes) for name, attributes in raw_html.PASSED.items() if attributes},
        "ol": {"start"},
        "div": {"id"},
    },
    allowed_classes={
        "td": {"left", "center", "right"},
        "th": {"left", "center", "right"},
        "div": {"footnote-definition"},
        "sup": {"footnote-reference", "footnote-definition-label"},
        "blockquote": set(CALLOUT_CLASSES),
        "span": {"math", "math-inline", "math-display"},
    },
    url_schemes={"http", "https", "mailto"},
    link_rel=None,
)
"""The second guard after ``sanitize``: nothing else reaches a page."""
_REST = r"(?:[\w.~:/?#@!$()*+,;=%-]|&amp;)*+"
_PLAIN = re.compile(
    r"(?:[^<>&\x00-\x08\x0b-\x1f\x7f-\xa0\ufeff]++|&(?:amp|lt|gt|quot);|</?(?:p|h[1-6]|ul|ol|li|em|strong|del|code)>"
    r'|<ol start="\d{1,9}">|</?blockquote>|<[hb]r />|<pre><code(?: class="language-[A-Za-z0-9+#._-]+")?>|</(?:pre|a)>'
    rf'|<a href="(?:https?://(?:[a-z0-9]++(?:-[a-z0-9]++)*+\.)+[a-z]{{2,}}(?:/{_REST})?|/(?!/){_REST}|#[\w.:-]+)">)*+',
    re.ASCII,
)
"""HTML that the cleaner passes on as it is: each tag and address of it is one of these."""
OWN_WORDS = (Cards, Chart, Cite, Code, Facets, Facts, Items, Siblings, Notice, Pager, SearchField, Sources)
"""Blocks whose words are those of the interface, around titles and texts that are marked one by one."""
_HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_ALIGNED = re.compile(r'<(t[hd]) style="text-align: (left|center|right)">')
LONG_TABLE = 25
"""Rows that a table in a text shows at once; of a longer one the theme shows twenty."""
_REFERENCE = re.compile(r'<sup class="footnote-reference"[^>]*>.*?</sup>', re.DOTALL)
_REFERRED = re.compile(r'<sup class="footnote-reference"><a href="#([^"]*)">')
_DEFINITION = re.compile(
    r'(<div class="footnote-definition" id="([^"]*)"><sup class="footnote-definition-label">)([^<]*)</sup>'
)
BACK = "-back"
"""How the id of the place that refers to a footnote ends."""
_TASK = re.compile(r'<input disabled="" type="checkbox"( checked="")?/>\s*')
OPEN, DONE = "☐ ", "☑ "
"""Replacement for the checkboxes of task lists: text, which needs no label."""
_SHORT = re.compile(rf'<td(?: class="([a-z]+)")?>([^<]{{1,{SHORT}}})(?=</td>)')
"""A cell that is not broken into lines."""
_CODE = re.compile(r'<pre><code(?: class="language-([^"]*)")?>')
_LANGUAGE = re.compile(r"[A-Za-z0-9+#._-]+")
_IMAGE = re.compile(r'<img ((?:[^">]|"[^"]*")*)>')
_SIDE = re.compile(r'(?:^| )(?:width|height)="')
_SOURCE = re.compile(r'(?:^| )src="([^"]*)"')
_ADDRESS = re.compile(r'<a href="(https?:[^"]*)"')


class ProseRenderer:
    """Writes the running text of one page, and knows which anchors and numbers the page has used."""

    def __init__(self, page: Page, links: LinkWriter, body: Collection[str] = ()) -> None:
        """``body`` holds the anchors of the headings in the text of a record."""
        self._links = links
        self.language = page.language
        self.interface = page.language if is_in(page.language, INTERFACE) else INTERFACE
        """The language of labels and headings on this page: that of the page, where it is a variant of the
        interface's."""
        self._path = page.path
        self._anchors = Anchors([*RESERVED, *body, *(block.id for block in page.blocks if block.id)])
        self._is_record = page.template in RECORDS
        self._names = body  # the parser alone writes the headings of most texts, and in this order
        self._body = Anchors() if self._is_record else self._anchors
        """Those of a record's own text, which are the same whatever blocks stand around it."""
        self._regions: set[str] = set()
        self._contents = _contents(page)
        self._marks = source_marks(page)

    def block_language(self, block: Block) -> str:
        """The language of a block, except where a part of it is marked otherwise."""
        if isinstance(block, OWN_WORDS):
            return self.interface
        return block.text_language or self.language

    def marks(self, block: Block) -> Markup:
        """The attributes of a block's language; lists and labelled values begin at the side at which the page does."""
        return lang(self.block_language(block), self.language, flow=isinstance(block, (*OWN_WORDS, Facts, Items)))

    def own(self, language: str, outer: str) -> Markup:
        """The attributes of a text in a block of another language, which begins at the side at which the page does."""
        return lang(language, outer) or lang(language, self.language)

    def contents(self) -> tuple[Link, ...]:
        """Links to the parts of the page: its blocks with headings, and the highest headings in its text."""
        return tuple(self._contents)

    def region(self, name: str = "") -> str:
        """The label of the next table's region; no two regions of a page are labelled alike."""
        number = len(self._regions) + 1
        label = name or f"Table {number}"
        if label in self._regions:
            label = f"{label} ({number})"
        self._regions.add(label)
        return label

    def prose(self, block: Prose) -> Markup:
        """Running text as safe HTML with anchored headings; raw HTML in it is a harmless part of HTML."""
        level = 3 if block.title else 2
        text = block.markdown
        # all that needs the source to be read; destinations and headings do not
        if "<" in text or self._links.href("/") != "/":
            text = sanitize(text, level, self._links.href)
        clean = clean_html(text, f"{block.id or BODY}-note-")
        names: Collection[str] = ()
        if block.id == BODY and self._is_record:
            clean = with_paragraph_ids(clean, text)
            names = self._names if "<" not in text and FOOTNOTE not in clean else ()
        anchors = self._body if block.id == BODY else self._anchors
        clean = _headings(footnotes_last(clean) if FOOTNOTE in clean else clean, level, anchors, names)
        return Markup(self._dressed(clean))  # noqa: S704  (cleaned)

    def _dressed(self, clean: str) -> str:
        """Clean HTML with what the theme adds: colours, regions that scroll, marks on links elsewhere."""
        clean = with_colours(clean).replace('<a href="">', "<a>").replace("<pre>", '<pre tabindex="0">')
        if "<img " in clean:
            clean = _IMAGE.sub(self._image, clean)
        clean = with_marks(_ADDRESS.sub(self._address, clean), self._marks)
        if LABEL in clean and (marks := self.own(self.interface, self.language)):
            clean = clean.replace(LABEL, f"{LABEL[:-1]}{marks}>")
        if "<table>" in clean:
            clean = _SHORT.sub(_short_cell, clean)
            clean = re.sub("<table>", self._region, clean)
            clean = "".join(map(self._folded, clean.split("</table>")[:-1])) + clean.rpartition("</table>")[2]
        return with_formulas(clean)

    def _image(self, match: re.Match[str]) -> str:
        """An image that is fetched when it comes into sight, and keeps its place until then."""
        source = _SOURCE.search(match[1])
        given = _SIDE.search(match[1])  # raw HTML may say how large it is
        size = self._links.size(unescape(source[1]), self._path) if source and not given else None
        sides = f' width="{size.width}" height="{size.height}"' if size else ""
        return f'<img loading="lazy"{sides} {match[1]}>'

    def _address(self, match: re.Match[str]) -> str:
        return f'{match[0]} rel="external"' if self._links.elsewhere(unescape(match[1])) else match[0]

    def _region(self, _match: re.Match[str]) -> str:
        return f'<div class="scroll" role="region" aria-label="{self.region()}" tabindex="0"><table>'

    def _folded(self, until: str) -> str:
        """HTML up to the end of a table, with that end; a long table shows its first rows until it is opened."""
        rows = until.rpartition("<tbody>")[2].count("<tr>")
        words = f"<summary{self.own(self.interface, self.language)}>Show all {rows} rows of this table</summary>"
        return f"{until}</table></div>" + (f'<details class="fold">{words}</details>' if rows > LONG_TABLE else "")


def body_anchors(page: Page) -> tuple[str, ...]:
    """The anchors of the headings in the text of a record."""
    return tuple([heading.anchor for heading in headings(record_text(page))])


def record_text(page: Page) -> str:
    """The text of a record, its raw HTML made harmless; empty on other pages."""
    own = (block.markdown for block in page.blocks if block.id == BODY and isinstance(block, Prose))
    text = next(own, "") if page.template in RECORDS else ""
    return whole(text, str) if "<" in text else text


def _contents(page: Page) -> Iterator[Link]:
    for block in page.blocks:
        if block.id == BODY and isinstance(block, Prose):
            parts = headings(whole(block.markdown, str) if "<" in block.markdown else block.markdown)
            highest = min((part.level for part in parts if part.top), default=0)
            yield from (
                Link(part.text, f"#{part.anchor}", page.language)
                for part in parts
                if part.top and part.level == highest
            )
        elif block.title and block.id:
            yield Link(block.title, f"#{block.id}")


def apart(page: Page, body: Collection[str]) -> Page:
    """The page with ids of blocks and sources that differ from the anchors in its text."""
    if not body or not any(name in body for block in page.blocks for name in _names(block)):
        return page
    anchors = Anchors([*RESERVED, *body])
    names = {name: anchors.claim(name) for block in page.blocks for name in _names(block) if name and name != BODY}
    return replace(page, blocks=tuple(_renamed(block, names) for block in page.blocks))


def _names(block: Block) -> list[str]:
    """The ids that a block brings to its page."""
    if isinstance(block, Sources):
        return [block.id, *[source.anchor for source in block.sources]]
    if isinstance(block, Items):
        return [block.id, *[item.id for item in block.items if item.id]]
    return [block.id]


def _renamed(block: Block, names: Mapping[str, str]) -> Block:
    """The block under the names that these stand for, and with what refers to them."""
    block = replace(block, id=names.get(block.id, block.id))
    if isinstance(block, Items):
        items = (
            replace(item, id=names.get(item.id, ""), sources=tuple(_renamed_mark(mark, names) for mark in item.sources))
            for item in block.items
        )
        return replace(block, items=tuple(items))
    if not isinstance(block, Sources):
        return block
    named = (
        replace(
            source,
            id=names[source.anchor].removeprefix(SOURCE_ANCHOR),
            carries=tuple(replace(link, href=f"#{names[link.href[1:]]}") for link in source.carries),
        )
        for source in block.sources
    )
    return replace(block, sources=tuple(named))


def _renamed_mark(mark: NumberedSource, names: Mapping[str, str]) -> NumberedSource:
    return replace(mark, id=names[SOURCE_ANCHOR + mark.id].removeprefix(SOURCE_ANCHOR))


def _back_links(clean: str) -> str:
    """Footnotes whose numbers lead back to the first place that refers to them."""
    named: set[str] = set()

    def name(match: re.Match[str]) -> str:
        id_ = "" if match[1] in named else f' id="{match[1]}{BACK}"'
        named.add(match[1])
        return f'<sup class="footnote-reference"{id_}><a href="#{match[1]}">'

    def lead(match: re.Match[str]) -> str:
        back = f'<a href="#{match[2]}{BACK}" role="doc-backlink">{match[3]}</a>'
        return f"{match[1]}{back}</sup>" if match[2] in named else match[0]

    return _DEFINITION.sub(lead, _REFERRED.sub(name, clean))


def clean_html(tamed: str, stem: str) -> str:
    """Text that ``sanitize`` has seen as safe HTML; ``stem`` begins the names of its footnotes.

    A text that is nested too deep is shown as it was written: the cleaner would take minutes for it. Most texts hold
    no raw HTML, and what the parser writes of them needs no cleaning.
    """
    html = PARSER.html(tamed)
    if too_deep(html):
        html = f"<pre>{escape(tamed, quote=False)}</pre>"
    elif "<" not in tamed and _PLAIN.fullmatch(html):
        return with_links(html.replace("&quot;", '"').replace(" />", ">"))
    if "<table>" in html:
        html = _ALIGNED.sub(r'<\1 class="\2">', html)
    if '<div class="footnote' in html:
        for beginning in (FOOTNOTE, '<sup class="footnote-reference"><a href="#'):
            html = html.replace(beginning, beginning + stem)
    if "<input " in html:
        html = _TASK.sub(lambda match: DONE if match[1] else OPEN, html)
    clean = with_links(CLEANER.clean(html))
    if '<sup class="footnote-' in clean:
        clean = _back_links(clean)
    if '<blockquote class="' in clean:
        clean = with_labels(clean)
    return _languages(html, clean) if '<code class="' in html else clean


def _languages(html: str, clean: str) -> str:
    """Clean HTML whose blocks of code name their languages again."""
    names = iter(_CODE.findall(html))

    def write(_match: re.Match[str]) -> str:
        name = _LANGUAGE.match(next(names, ""))
        return f'<pre><code class="language-{name[0]}">' if name else "<pre><code>"

    return re.sub("<pre><code>", write, clean)


def _short_cell(match: re.Match[str]) -> str:
    return f'<td class="{match[1]} s">{match[2]}' if match[1] else f'<td class="s">{match[2]}'


def _headings(clean: str, level: int, anchors: Anchors, names: Collection[str]) -> str:
    """Headings begin at ``level``, go no more than one step down at a time, and have anchors, from ``names`` if any."""
    depths = [int(heading[1]) for heading in _HEADING.finditer(clean)]
    highest, last = min(depths, default=level), level - 1
    ready = iter(names if len(names) == len(depths) else ())

    def write(match: re.Match[str]) -> str:
        nonlocal last
        last = min(int(match[1]) - highest + level, last + 1, MAX_CLEANED_DEPTH)
        inside, id_ = without_id(match[2])
        if not (name := next(ready, "")):
            words = unescape(_TAG.sub("", _REFERENCE.sub("", inside)))
            name = anchors.claim(id_) if id_ else anchors.take(words)
        return f'<h{last} id="{escape(name)}">{inside}</h{last}>'

    return _HEADING.sub(write, clean) if depths else clean
