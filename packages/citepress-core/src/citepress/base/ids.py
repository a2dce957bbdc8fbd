"""Ids of submissions, and the paths of a page's twins and revisions."""

import re
from functools import lru_cache

ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
"""A ULID in Crockford base 32."""


def canonical_path(page: str) -> str:
    """``posts/x`` for ``/posts/x/``; ``home`` for the root (specification, "Conventions for publication routes")."""
    return page.strip("/") or "home"


def path_of(id_: str) -> str:
    """The canonical path of a record."""
    return f"/{id_}/"


REPORT_BELOW = "report/"
"""What follows the path of a record in that of the page on which errors in it are reported."""


def revision_path(page: str, number: int) -> str:
    """The path of one revision of a record: ``/posts/x/@3/``; it has the twins of any page."""
    return f"{page}@{number}/"


@lru_cache(maxsize=8192)  # each form, link and tab of a page asks for it
def twin(page: str, suffix: str) -> str:
    """The path of a page in another form: ``/x/`` with ``.md`` is ``/x.md``, the root is ``/index.md``."""
    return (page.rstrip("/") or "/index") + suffix
