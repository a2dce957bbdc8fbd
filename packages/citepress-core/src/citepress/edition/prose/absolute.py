"""Text as it leaves its page: every link whole, so that it leads to the same place wherever it is read."""

import re
from collections.abc import Iterable
from functools import partial
from html import escape
from typing import TypeVar
from urllib.parse import urljoin

from pydantic import BaseModel

from citepress.contract.record import Record, Source
from citepress.edition.prose.formulas import with_formulas_as_written
from citepress.edition.prose.paragraphs import paragraphs
from citepress.edition.prose.renderer import BODY as BODY_BLOCK
from citepress.edition.prose.renderer import clean_html
from citepress.edition.prose.sanitizer import Place, sanitize, whole
from citepress.edition.prose.source_marks import anchor_marks, in_markdown
from citepress.edition.render_context import RenderContext

BODY = "body_markdown"
"""The member of a published document that holds running text."""
PARAGRAPHS = "paragraphs"
"""The member of a record that names the paragraphs of that text."""
M = TypeVar("M", bound=BaseModel)
_WHOLE = re.compile(r"https?://[a-z0-9.-]+(?:/[^\s?#;\[\]]*)?")
"""An address that is whole at a glance."""
_ANCHOR = re.compile(r"#[\w.:-]+")
"""A place on the page itself."""
_WORDLESS = re.compile(r"\[\s*\]")
"""What may be a link that gets words."""


def placing(context: RenderContext, page: str) -> Place:
    """What makes destinations on a page, by its path, whole."""
    address = context.url(page)
    return partial(_absolute, context.url(""), address, anchored=bool(_WHOLE.fullmatch(address)))


def as_published(document: M, context: RenderContext, page: str) -> M:
    """The document with its running text as every form gives it: links whole, raw HTML made harmless.

    A record names the paragraphs of its text, and a reference to one of its sources has the number of that for words.
    """
    text: str = getattr(document, BODY, "")
    if not text:
        return document
    sources = document.sources if isinstance(document, Record) else ()
    written = whole(text, placing(context, page), partial(in_markdown, anchor_marks(sources)))
    update: dict[str, object] = {} if written == text else {BODY: written}
    if isinstance(document, Record):
        # Where links lead is in no id: where nothing else was edited, the text that was parsed for the page tells them.
        named = written if "<" in text or _WORDLESS.search(text) else text
        update[PARAGRAPHS] = [paragraph.id for paragraph in paragraphs(named)]
    return document.model_copy(update=update) if update else document


def html_elsewhere(markdown: str, context: RenderContext, page: str, sources: Iterable[Source]) -> str:
    """The running text of a page with these sources as safe HTML with absolute links, for feeds and mail."""
    mark = partial(in_markdown, anchor_marks(sources))
    tamed = sanitize(markdown, 2, placing(context, page), mark, every=False)
    html = with_formulas_as_written(clean_html(tamed, f"{BODY_BLOCK}-note-")).strip()
    html = re.sub(r"\s*\{#[A-Za-z][\w:.-]{0,95}\}(?=</h\d>)", "", html) if "}</h" in html else html  # ids of headings
    return html.replace('href="#', f'href="{escape(context.url(page))}#')  # footnotes, as the page names them


def _absolute(site: str, page: str, href: str, *, anchored: bool) -> str:
    """The whole address of a destination; one that no address can be made of stays as it is.

    ``anchored``: whether an anchor can be put behind the address of the page as it is.
    """
    first = href[:1]
    if first == "/" and href[1:2] != "/":
        return site + href
    if first == "#":
        if anchored and _ANCHOR.fullmatch(href):
            return page + href
    elif _WHOLE.fullmatch(href):
        return href
    try:
        return urljoin(page, href)
    except ValueError:
        return href
