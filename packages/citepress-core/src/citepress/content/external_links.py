"""The links of a text to other sites, with the words that they are made on."""

from html import unescape
from typing import NamedTuple

from citepress.base.bare_addresses import (
    ADDRESS,
    CLOSED,
    MIN_ADDRESS_CHARS,
    bare_address,
    destination,
    may_hold_address,
)
from citepress.content import raw_html

MAX_TEXT_LINKS = 5_000
"""Addresses of one text that are gathered."""
MAX_LINK_CHARS = 300
"""Characters of a link's words; those of a source's title."""


class ExternalLink(NamedTuple):
    """An address elsewhere that a text links to."""

    href: str
    """An http(s) address, as it is written."""
    words: str
    """The words of the first link to it that has any besides the address; empty where none has."""


class ExternalLinks:
    """Gathers the links of one text from the events of its parser, which come in the order of the text.

    A link without words of its own, such as a badge around an image, is none.
    """

    def __init__(self) -> None:
        self._links: dict[str, str] = {}
        self._run: list[str] = []
        """Text since the last mark, in which an address may stand alone."""
        self._href = ""
        """The address of the link that is open."""
        self._words: list[str] = []
        self._images = self._closed = 0
        """Open images, and open elements in which an address is no link."""

    @property
    def links(self) -> tuple[ExternalLink, ...]:
        """Each address once, in the order of the text."""
        self.close()
        self.mark()
        return tuple(ExternalLink(href, words) for href, words in self._links.items())

    def open(self, href: str) -> None:
        """A link begins."""
        self.close()
        self.mark()
        self._href, self._words = href.strip(), []

    def close(self) -> None:
        """The link that is open ends."""
        words = " ".join("".join(self._words).split())
        if self._href and words:
            self._add(self._href, words)
        self._href = ""

    def image(self, step: int) -> None:
        """An image begins (1) or ends (-1); its alternative text is no word of a link."""
        self.mark()
        self._images = max(0, self._images + step)

    def verbatim(self, step: int) -> None:
        """Code begins (1) or ends (-1)."""
        self.mark()
        self._closed = max(0, self._closed + step)

    def text(self, words: str) -> None:
        """Words of the text; an address in them is a link, and may come in several pieces."""
        if self._images:
            return
        if self._href:
            self._words.append(words)
        elif not self._closed:
            self._run.append(words)

    def code(self, words: str) -> None:
        """Words in which an address is no link."""
        self.mark()
        if self._href and not self._images:
            self._words.append(words)

    def mark(self) -> None:
        """Anything but text, which ends an address that stands alone."""
        if self._href:
            self._words.append(" ")
        if not self._run:
            return
        text = "".join(self._run)
        self._run = []
        if may_hold_address(text):
            for match in ADDRESS.finditer(text):
                address = bare_address(match[0])
                if len(address) >= MIN_ADDRESS_CHARS:
                    self._add(destination(address), "")

    def html(self, text: str) -> None:
        """A piece of raw HTML, which may hold whole links."""
        shown = raw_html.canonical(text, lambda _: True)
        at = 0
        for tag in raw_html.tags(shown):
            self.text(unescape(shown[at : tag.start]))
            at = tag.end
            if tag.name in CLOSED - {"a"}:
                self.verbatim(-1 if tag.closing else 1)
            elif tag.name == "a" and tag.closing:
                self.close()
            elif tag.name == "a" and tag.attributes.get("href"):
                self.open(tag.attributes["href"])
            elif not self._href:
                self.mark()
        self.text(unescape(shown[at:]))

    def _add(self, href: str, words: str) -> None:
        address = f"https:{href}" if href.startswith("//") else href
        if not address[:8].lower().startswith(("https://", "http://")):
            return
        title = "" if "://" in words or words == href else words[:MAX_LINK_CHARS].strip()
        if address in self._links:
            self._links[address] = self._links[address] or title
        elif len(self._links) < MAX_TEXT_LINKS:
            self._links[address] = title
