"""Slugs of imported pages: readable, valid, and each used once."""

import re
from collections.abc import Callable
from hashlib import blake2b

from citepress.base.slugs import SLUG_LENGTH, is_slug, plain_letters, slugify


def slug_for(name: str) -> str:
    """The slug of a name in Latin letters; nothing where most of the name would be lost."""
    slug = slugify(plain_letters(name))
    letters = sum(char.isalnum() for char in name)
    return slug if len(re.sub("-", "", slug)) * 2 > letters else ""


class Slugs:
    """Gives out slugs of one collection."""

    def __init__(self, refused: Callable[[str], bool] = lambda _: False) -> None:
        self._used: set[str] = set()
        self._refused = refused

    def claim(self, *names: str, key: str, day: str = "") -> str:
        """A slug from the first name that gives a free one, else from the first with a number.

        A name in a script that no slug can hold gives the day and a digest of ``key``.
        """
        slugs = [slug for name in names if (slug := slug_for(name))]
        digest = blake2b(key.encode(), digest_size=3).hexdigest()
        slugs = slugs or [f"{day}-{digest}" if day else f"note-{digest}"]
        slug = next((slug for slug in slugs if self._is_free(slug)), "")
        number = 2
        while not slug:
            numbered = f"{slugs[0][: SLUG_LENGTH - 8].strip('-')}-{number}"
            slug = numbered if self._is_free(numbered) else ""
            number += 1
        self._used.add(slug)
        return slug

    def _is_free(self, slug: str) -> bool:
        return is_slug(slug) and slug not in self._used and not self._refused(slug)
