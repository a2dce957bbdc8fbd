"""A leaf: everything needed to answer one public path."""

import re
from typing import NamedTuple

from citepress.base.file_part import StoredBody
from citepress.base.values import value_type

PRIVATE = "\0"
"""Prefix of the paths of leaves that are never sent by themselves; no request path can contain it."""


class Variant(NamedTuple):
    """One form that a negotiating path can answer in."""

    form: str
    """``html``, ``markdown``, ``json``."""
    accepted: tuple[str, ...]
    """Bare media types under which it fits an Accept field; the first is the one sent."""
    path: str
    """Path of the leaf that holds it; a private one where the form has no address of its own."""

    @property
    def addressed(self) -> bool:
        """Whether the form has an address of its own."""
        return not self.path.startswith(PRIVATE)


@value_type
class Leaf:
    """The answer to GET at one path."""

    path: str
    route: str
    """Path template of its route, as statistics count it."""
    kind: str
    """Name of the representation: html, markdown, json, text, xml, asset."""
    type: str
    """The Content-Type that is sent."""
    body: StoredBody
    """The body; for a withdrawn record (410), the reason as UTF-8 text."""
    cache: str
    """The Cache-Control value."""
    accepted: tuple[str, ...] = ()
    """Bare media types under which the leaf fits an Accept field."""
    links: tuple[str, ...] = ()
    """Values of Link fields: canonical, alternate, describedby, hub, paging."""
    variants: tuple[Variant, ...] = ()
    """Forms by Accept, the default first; empty where the path has one form."""
    live: bool = False
    """Whether an overlay of reports may answer in its stead."""
    status: int = 200
    """200; 308 with a location; 410 for a withdrawn record."""
    location: str = ""
    """Target path of a redirect."""
    title: str = ""
    """Title of the page, on its canonical path only: what a recovery document calls it. A page that holds nothing yet
    has none."""
    canonical: str = ""
    """Canonical path of the page this leaf is a form of (``posts/x``), for readership; empty for others."""
    digested: bool = False
    """Whether answers carry ``Repr-Digest`` (RFC 9530), of each content coding its own."""
    modified: int = 0
    """Unix seconds of ``Last-Modified``, of a report, which every server dates alike; 0 for the date of its pack."""
    memento: int = 0
    """Unix seconds of ``Memento-Datetime`` (RFC 7089), of a leaf that is made when it is asked for; 0 for none."""


_UNWRITABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""What a line of text cannot hold; nobody can ask for such a path in the log."""


def is_logged(leaf: Leaf) -> bool:
    """Whether the log of editions covers a leaf: what everybody can fetch, and what stays while the edition does."""
    return leaf.status == 200 and not leaf.live and not _UNWRITABLE.search(leaf.path)  # noqa: PLR2004  (OK)
