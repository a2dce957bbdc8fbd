"""Identifiers that the archive hands out: slugs, record ids, ULIDs, and the paths of a page's twins."""

import re

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""A slug: lower-case words and digits joined by single hyphens."""
SLUG_LENGTH = 96
ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
"""A ULID in Crockford base 32."""


def is_slug(text: str) -> bool:
    """Whether the text may stand in a public path as a slug."""
    return len(text) <= SLUG_LENGTH and SLUG.fullmatch(text) is not None


def slugify(text: str) -> str:
    """The nearest slug to any text; empty when nothing of it can stand in a path."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:SLUG_LENGTH].strip("-")


def canonical_path(page: str) -> str:
    """``posts/x`` for ``/posts/x/``; ``home`` for the root (specification, publication conventions)."""
    return page.strip("/") or "home"


def twin(page: str, suffix: str) -> str:
    """The path of a page in another form: ``/x/`` with ``.md`` is ``/x.md``, the root is ``/index.md``."""
    return (page.rstrip("/") or "/index") + suffix
