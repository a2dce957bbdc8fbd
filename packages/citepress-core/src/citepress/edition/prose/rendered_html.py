"""What is added to clean HTML: labels of callouts, and links for addresses that stand alone in a text."""

import re
from collections.abc import Iterator
from html import escape, unescape

from citepress.base.bare_addresses import (
    ADDRESS,
    CLOSED,
    MIN_ADDRESS_CHARS,
    bare_address,
    destination,
    may_hold_address,
)

CALLOUTS = {"note": "Note", "tip": "Tip", "important": "Important", "warning": "Warning", "caution": "Caution"}
"""Kinds of callout, as GitHub writes them, and their labels."""
CALLOUT_CLASSES = frozenset(f"markdown-alert-{kind}" for kind in CALLOUTS)
"""The classes that the parser gives them."""
LABEL = '<p class="callout-label">'
_CALLOUT = re.compile(r'<blockquote class="markdown-alert-(\w+)">')
_TAG = re.compile(r"<(/?)([a-z0-9]+)[^>]*>")


def with_labels(html: str) -> str:
    """Callouts with their labels."""
    return _CALLOUT.sub(lambda match: f'<blockquote class="callout {match[1]}">{LABEL}{CALLOUTS[match[1]]}</p>', html)


def with_links(html: str) -> str:
    """Addresses that stand alone as links."""
    # Most texts have addresses in their links alone, which begin as no text does: its brackets are escaped.
    links = html.count('<a href="https://') + html.count('<a href="http://')
    if "www." not in html and html.count("://") == links:
        return html
    return "".join(_linked(html)) if may_hold_address(_TAG.sub("\0", html)) else html


def _linked(html: str) -> Iterator[str]:
    at = inside = 0
    for match in _TAG.finditer(html):
        text = html[at : match.start()]
        yield text if inside or not may_hold_address(text) else ADDRESS.sub(_link, text)
        yield match[0]
        at = match.end()
        if match[2] in CLOSED:
            inside = max(0, inside - 1) if match[1] else inside + 1
    yield html[at:] if inside or not may_hold_address(html[at:]) else ADDRESS.sub(_link, html[at:])


def _link(match: re.Match[str]) -> str:
    address = bare_address(unescape(match[0]))
    rest = unescape(match[0])[len(address) :]
    written = escape(address)
    href = escape(destination(address))
    return (
        f'<a href="{href}">{written}</a>{escape(rest, quote=False)}' if len(address) >= MIN_ADDRESS_CHARS else match[0]
    )
