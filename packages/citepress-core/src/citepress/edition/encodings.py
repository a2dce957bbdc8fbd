"""Content codings of a leaf: made when a client first asks for one, or when the edition is written for large leaves."""

import hashlib
import threading
from importlib.metadata import version

import brotli
import zstandard
from isal import igzip

from citepress.edition.leaf import Leaf

CODINGS = ("br", "zstd", "gzip")
"""The order of preference when a client likes several equally."""
PAGE_CODINGS = ("zstd", "gzip", "br")
"""The same for pages and their Markdown and JSON, which are coded while a client waits: at ``PAGE_LEVELS`` gzip takes
half as long as brotli, for fewer bytes."""
MIN_COMPRESSED_BYTES = 200
"""Bytes under which compressing costs a client more than it saves."""
LEVELS = (5, 1, 1)
"""Levels of brotli, zstd and gzip for documents and assets: there are few of them, and they are read often."""
PAGE_LEVELS = (1, 1, 1)
"""The same for pages and their Markdown and JSON. Of 400 pages of 21.5 KB each takes 42 µs for 6.06 KB as zstd 1, 39 µs
for 6.16 KB as gzip 1, 73 µs for 6.38 KB as brotli 1, 120 µs for 5.91 KB as brotli 2."""
PAGES = frozenset({"html", "markdown", "json"})
"""Kinds of leaves that come by the ten thousand."""
WINDOW = 16
"""Binary logarithm of brotli's window for bodies that fit into it: a smaller table to fill, and no byte more."""
TEXT_TYPES = (
    "text/",
    "application/json",
    "application/xml",
    "application/ld+json",
    "application/javascript",
    "image/svg+xml",
)


def _encoder_tag() -> str:
    """Changes with everything that decides about coded bytes, so that an ETag never names two bodies."""
    encoders = [f"{name} {version(name)}" for name in ("brotli", "zstandard", "isal")]
    return hashlib.blake2b(repr([encoders, LEVELS, PAGE_LEVELS, WINDOW]).encode(), digest_size=3).hexdigest()


ENCODER_TAG = _encoder_tag()
"""Stands in the ETag of a coding beside its name: nodes with the same encoders give the same ETag, others another."""


class _Compressors(threading.local):
    """Zstandard compressors by level, made once for each thread: making one takes as long as a small body."""

    def __init__(self) -> None:
        self.at = {level: zstandard.ZstdCompressor(level=level) for level in {LEVELS[1], PAGE_LEVELS[1]}}


_zstd = _Compressors()


def codings_of(leaf: Leaf) -> tuple[str, ...]:
    """The content codings that are made of a leaf, the preferred first; none where compressing saves nothing."""
    if not compressible(leaf):
        return ()
    return PAGE_CODINGS if leaf.kind in PAGES else CODINGS


def is_text(media_type: str) -> bool:
    """Whether bodies of a media type get smaller by compressing."""
    bare = media_type.partition(";")[0]
    return bare.startswith(TEXT_TYPES) or bare.endswith("+json") or "charset=" in media_type


def compressible(leaf: Leaf) -> bool:
    """Whether the leaf's type and size make compressing it worth while."""
    return len(leaf.body) >= MIN_COMPRESSED_BYTES and is_text(leaf.type)


def encode_body(leaf: Leaf, coding: str) -> bytes:
    """The leaf's body in one content coding; the same bytes every time."""
    body = bytes(leaf.body)
    small = len(body) < 1 << WINDOW
    quality, level, effort = PAGE_LEVELS if leaf.kind in PAGES else LEVELS
    if coding == "br":
        window = WINDOW if small else 22
        return bytes(brotli.compress(body, quality=quality, mode=brotli.MODE_TEXT, lgwin=window))
    if coding == "zstd":
        return bytes(_zstd.at[level].compress(body))
    # Without a time in its header the same body gives the same bytes on every worker, and so the same ETag.
    return bytes(igzip.compress(body, effort, mtime=0))


def encode_all(leaf: Leaf) -> dict[str, bytes]:
    """The leaf's body in every coding that makes it smaller."""
    if not compressible(leaf):
        return {}
    bodies = {coding: encode_body(leaf, coding) for coding in CODINGS}
    # A coding that saves nothing only costs the client the decoding.
    return {coding: body for coding, body in bodies.items() if len(body) < len(leaf.body)}
