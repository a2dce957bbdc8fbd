"""Numbered references to the sources of a page: which links of its text lead to one, and how HTML shows them."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape, unescape

from citepress.base.urls import UrlError, normalise, variants
from citepress.contract.page import SOURCE_ANCHOR, NumberedSource, Page, Sources
from citepress.contract.record import Source

_normal = lru_cache(maxsize=65_536)(normalise)
_ANCHOR = re.compile(r'<a href="((?:https?:|#source-)[^"]*)"([^>]*)>(.*?)</a>', re.DOTALL)


def source_marks(page: Page) -> Mapping[str, NumberedSource]:
    """The reference to each source of a page by what a text links to: its addresses, and its anchor with ``#``."""
    marks: dict[str, NumberedSource] = {}
    for block in page.blocks:
        for number, source in enumerate(block.sources if isinstance(block, Sources) else (), 1):
            mark = NumberedSource(number, source.id, source.title, source.url)
            marks |= dict.fromkeys((*source.addresses, f"#{source.anchor}"), mark)
    return marks


def anchor_marks(sources: Iterable[Source]) -> Mapping[str, NumberedSource]:
    """The reference to each source of a record by its anchor with ``#``."""
    return {
        f"#{SOURCE_ANCHOR}{source.id}": NumberedSource(number, source.id, source.title, source.url)
        for number, source in enumerate(sources, 1)
    }


def mark_of(marks: Mapping[str, NumberedSource], href: str) -> NumberedSource | None:
    """The reference to the source that a link leads to, if it is one of the page's."""
    if not marks or href.startswith("#"):
        return marks.get(href)
    try:
        url = _normal(href)
    except UrlError:
        return None
    return marks.get(url) or next((marks[other] for other in variants(url) if other in marks), None)


def in_markdown(marks: Mapping[str, NumberedSource], href: str) -> str:
    """What follows a link of a text in Markdown: the number of its source, or nothing."""
    mark = mark_of(marks, href)
    return rf"\[{mark.number}\]" if mark else ""


def _says(mark: NumberedSource) -> str:
    """What a source is called, and the host it is on unless that is its title."""
    host = mark.url.partition("://")[2].partition("/")[0]
    return escape(f"{mark.title} ({host})" if host and host != mark.title else mark.title)


def in_html(marks: Iterable[NumberedSource]) -> str:
    """References as HTML writes them."""
    links = (
        f'<a href="#{SOURCE_ANCHOR}{escape(mark.id)}" role="doc-biblioref" title="{_says(mark)}">[{mark.number}]</a>'
        for mark in marks
    )
    written = "".join(links)
    return f'<sup class="sources-of">{written}</sup>' if written else ""


def with_marks(clean: str, marks: Mapping[str, NumberedSource]) -> str:
    """Clean HTML in which a reference follows each link to a source; it takes the place of a link without words."""

    def marked(match: re.Match[str]) -> str:
        mark = mark_of(marks, unescape(match[1]))
        if mark is None:
            return match[0]
        return (match[0] if match[3].strip() else "") + in_html([mark])

    return _ANCHOR.sub(marked, clean) if marks else clean
