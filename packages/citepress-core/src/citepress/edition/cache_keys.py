"""The keys of an answer, by which caches in front of the servers are told what changed.

An answer is sent from one leaf, and every leaf belongs to one unit: a page in all its forms, or a document. Whatever
else a page shows, such as the titles of other records, is part of its own bytes, so the unit whose bytes changed is the
one to purge, and no other.
"""

import hashlib
from collections.abc import Iterable
from urllib.parse import quote

from citepress.base.headers import Headers

EVERYTHING = "archive"
"""The key of every answer."""
MAX_KEY_CHARS = 200
"""Characters of a key; a longer one is named by its digest."""
SAFE = "/-._~"


def unit_key(path: str, canonical: str) -> str:
    """The key of the unit of a leaf: the canonical path of its page, or the path of a document."""
    key = quote(f"/{canonical}" if canonical else path, safe=SAFE)
    return key if len(key) <= MAX_KEY_CHARS else "/" + hashlib.sha256(key.encode()).hexdigest()


def keys_of(path: str, canonical: str) -> tuple[str, ...]:
    """Every key of an answer that is sent from a leaf: of its unit, of its collection, of the archive."""
    unit = unit_key(path, canonical)
    collection = unit[1:].partition("/")[0] + "/" if unit.count("/") > 1 else ""
    return tuple(key for key in (unit, collection, EVERYTHING) if key)


def key_fields(names: Iterable[str], keys: Iterable[str]) -> Headers:
    """The header fields that carry keys, each in the syntax of its readers."""
    written = {
        "Surrogate-Key": " ".join(keys),
        "Cache-Tag": ",".join(keys),
        "Cache-Groups": ", ".join(f'"{key}"' for key in keys),
    }
    return [(name.lower().encode(), written[name].encode()) for name in names]
