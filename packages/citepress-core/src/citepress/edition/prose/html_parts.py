"""The small parts of HTML pages: text, addresses, links, words and dates."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, tzinfo
from functools import lru_cache, partial
from html import escape
from urllib.parse import unquote, urljoin, urlsplit

from markupsafe import Markup

from citepress.base.languages import UNDETERMINED, direction, is_in
from citepress.base.timestamps import UNDATED, day, if_known, spoken_day, spoken_moment
from citepress.content.images import Size
from citepress.contract.page import INTERFACE, Link
from citepress.edition.prose.sanitizer import safe

SHORT = 25
"""Characters of a cell that is not broken into lines."""
SHORT_CELL = ' class="s"'
_CODE = re.compile(r"`([^`]+)`")
_DAY = re.compile(r"(?<![\w-])[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?![\w-])")
_MOMENT = re.compile(_DAY.pattern.replace("(?!", "(T[0-9:]{8}Z)?(?!"))
"""A day, or a moment as JSON writes it."""
as_markup: Callable[[str], Markup] = partial(str.__new__, Markup)
"""Text whose parts are escaped, as templates write it unchanged: ``Markup`` without its look at the type of the text,
which takes longer than the rest."""


class LinkWriter:
    """Writes the links of pages of one site, and tells its own addresses from others."""

    def __init__(self, prefix: str, base_url: str, images: Mapping[str, Size] | None = None) -> None:
        """``prefix``: the path of the public address before every path, mostly empty. ``images``: sizes by path."""
        self._prefix = prefix
        self._own = base_url
        self._images = images or {}

    def href(self, target: str) -> str:
        """A path as pages link to it; an address elsewhere stays itself."""
        return self._prefix + target if target.startswith("/") else target

    def size(self, address: str, page: str) -> Size | None:
        """The size of an image of this site, as a page names it; ``None`` where it is not known."""
        if not self._images:
            return None
        try:
            whole = urljoin(f"{self._own}{page}", address)
            path = unquote(urlsplit(whole).path) if not self.elsewhere(whole) else ""
        except ValueError:
            return None
        return self._images.get(path.removeprefix(self._prefix))

    def link(self, link: Link, outer: str = INTERFACE) -> Markup:
        """A link, or its text if it has no destination; ``outer`` is the language of its surroundings."""
        return as_markup(self._link(link, outer))

    def to(
        self, words: str, target: str, language: str = "", outer: str = INTERFACE, *, spoken: bool = False
    ) -> Markup:
        """Text with a destination; marked if that is external, or if its language differs from its surroundings.

        ``spoken`` writes days and times as people do.
        """
        written = _spoken(words) if spoken else _inline(words)
        return as_markup(self._to(written, target, lang(language, outer)))

    def links(self, links: Iterable[Link], outer: str = INTERFACE) -> Markup:
        """Several links separated by commas; ``outer`` is the language of their surroundings."""
        return as_markup(", ".join([self._link(link, outer) for link in links]))

    def cell(self, cell: Link | tuple[Link, ...]) -> Markup:
        """What a cell of a table holds."""
        return self.link(cell) if isinstance(cell, Link) else self.links(cell)

    def elsewhere(self, target: str) -> bool:
        """Whether an address is none of this site's."""
        return "://" in target and target != self._own and not target.startswith(f"{self._own}/")

    def _link(self, link: Link, outer: str) -> str:
        if link.date and not link.href:
            return str(date(link.date))
        words = _spoken(link.text) if link.spoken else _inline(link.text)
        if link.chance is not None:
            words += bar(link.chance)
        return self._to(words, link.href, lang(link.language, outer))

    def _to(self, words: str, target: str, marks: str = "") -> str:
        """``words`` are HTML."""
        if not target or not (target[0] in "/#" or safe(target)):
            return f"<span{marks}>{words}</span>" if marks else words
        rel = ' rel="external"' if "://" in target and self.elsewhere(target) else ""
        address = self._prefix + target if target[0] == "/" else target
        return f'<a href="{html_text(address)}"{rel}{marks}>{words}</a>'


def bar(share: float) -> Markup:
    """A share as a bar that repeats the words beside it."""
    return as_markup(
        '<svg class="chance" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="track"'
        f' width="100" height="4"/><rect class="c1" width="{round(100 * share, 1)}" height="4"/></svg>'
    )


def short(cell: Link | tuple[Link, ...]) -> Markup:
    """The attribute of a cell that stays on one line: a date, a number, a name."""
    words = cell.text if isinstance(cell, Link) else ", ".join(link.text for link in cell)
    return as_markup(SHORT_CELL) if len(words) <= SHORT else Markup()


def inline(plain: str) -> Markup:
    """Plain text, with code between backticks set as code."""
    return as_markup(_inline(plain))


@lru_cache(maxsize=1024)
def lang(language: str, outer: str = INTERFACE, *, flow: bool = False) -> Markup:
    """The attributes that mark a text whose language is not that of what it stands in.

    ``flow`` leaves the direction as it is: for a few words in a page that runs the other way.
    """
    if not language or is_in(outer, language):
        return Markup()
    if language == UNDETERMINED:
        return Markup(' dir="auto"')
    written = f' lang="{html_text(language)}"'
    return as_markup(written if flow else f'{written} dir="{direction(language)}"')


def date(moment: datetime) -> Markup:
    """A date for people and machines: the day where its author was."""
    # Moments of two zones may be equal and have different days, so the moment itself is no key of a cache.
    return _date(moment, moment.tzinfo)


@lru_cache(maxsize=4096)
def _date(moment: datetime, _zone: tzinfo | None) -> Markup:
    if if_known(moment) is None:
        return as_markup(UNDATED)
    return as_markup(f'<time datetime="{day(moment)}">{spoken_day(moment)}</time>')


def spoken(plain: str) -> Markup:
    """Words of the interface, with code between backticks set as code and dates as people write them."""
    return as_markup(_spoken(plain))


def _spoken(plain: str) -> str:
    escaped = _CODE.sub(r"<code>\1</code>", html_text(plain))
    return _MOMENT.sub(_spoken_match, escaped) if "-" in escaped else escaped


def _spoken_match(match: re.Match[str]) -> str:
    try:
        moment = datetime.fromisoformat(match[0])
    except ValueError:  # a thirtieth of February
        return match[0]
    if not match[1]:
        return str(date(moment))
    return f'<time datetime="{match[0]}">{spoken_moment(moment)}</time>'


@lru_cache(maxsize=4096)  # labels and titles stand on many pages
def _inline(plain: str) -> str:
    escaped = html_text(plain)
    if "-" in escaped:  # a date keeps its author's form, and is not broken at a hyphen
        escaped = _DAY.sub(r"<time>\g<0></time>", escaped)
    return _CODE.sub(r"<code>\1</code>", escaped) if "`" in escaped else escaped


def html_text(plain: str) -> str:
    """Text as HTML writes it, in elements and in attributes; most texts hold nothing to escape."""
    if "&" in plain or "<" in plain or ">" in plain or '"' in plain or "'" in plain:
        return escape(plain)
    return plain
