"""How long caches may keep an answer (one row for each type of content)."""

from enum import StrEnum


class Cache(StrEnum):
    """The ``Cache-Control`` value of a publication leaf."""

    RECORD = "max-age=300, stale-while-revalidate=3600, stale-if-error=86400"
    LIVE = "max-age=60"
    CARD = "public, max-age=3600"
    ASSET = "max-age=31536000, immutable"
    NEGOTIATED = "private, no-cache"
    """A non-default form on a canonical URL: no shared cache may hand it to a browser."""
    NO_STORE = "no-store"
