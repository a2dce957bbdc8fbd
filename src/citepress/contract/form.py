"""The declaration of a representation: how any page is written in one media type."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from citepress.base.media import Media
from citepress.contract.page import Page


@dataclass(frozen=True, slots=True)
class Form:
    """One way to write a page."""

    name: str
    """``html``, ``markdown``, ``json``: the word for it in route names and on pages."""
    title: str
    """What a tab on a page calls it."""
    media: Media
    path: Callable[[str], str]
    """The path of this form for a page's canonical path or path template."""
    write: Callable[[Page, Any], bytes]
    """``(page, context) -> bytes``."""
    needs_data: bool = False
    """Whether only pages with ``data`` have this form."""
    default: bool = False
    """Whether this form is served at the canonical path, and by default."""
