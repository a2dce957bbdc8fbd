"""Conditional requests (RFC 9110 section 13): whether the client's cached copy is still current."""

import re
from collections.abc import Mapping
from functools import lru_cache

from citepress.base.timestamps import parse_http_date

CONDITIONS = frozenset({b"if-match", b"if-none-match", b"if-modified-since", b"if-unmodified-since"})
OK, NOT_MODIFIED, FAILED = 200, 304, 412
TAG_PATTERN = re.compile(rb'(W/)?("[^"]*")')
MAX_TAGS_BYTES = 4096
"""Bytes of a list of entity tags that are read: what stands behind them is not among the tags."""
DATE_BYTES = 64
"""Longest date that is read; all three forms of HTTP are shorter."""


def evaluate_preconditions(fields: Mapping[bytes, bytes], etag: bytes, modified: int) -> int:
    """200 (send it), 304 or 412, in the order of RFC 9110 section 13.2.2, for GET and HEAD.

    ``modified`` are Unix seconds, 0 where the leaf has none.
    """
    # The order is that of RFC 9110, section 13.2.2: a field with tags makes the one with a date irrelevant.
    if (match := fields.get(b"if-match")) is not None:
        if not _names(match, etag, weak=False):
            return FAILED
    elif (since := _seconds(fields.get(b"if-unmodified-since"))) is not None and modified > since:
        return FAILED
    if (none_match := fields.get(b"if-none-match")) is not None:
        # Tags are compared weakly here and strongly for If-Match (RFC 9110, sections 13.1.1 and 13.1.2).
        return NOT_MODIFIED if _names(none_match, etag, weak=True) else OK
    since = _seconds(fields.get(b"if-modified-since"))
    return NOT_MODIFIED if since is not None and modified and modified <= since else OK


def _names(field: bytes, etag: bytes, *, weak: bool) -> bool:
    """Whether a list of entity tags names this one; ``*`` names any."""
    if field.strip() == b"*":
        return True
    # A proxy that compresses may have marked the tag as weak; the content is the same.
    return etag in field and any(
        tag == etag and (weak or not mark) for mark, tag in TAG_PATTERN.findall(field[:MAX_TAGS_BYTES])
    )


def _seconds(field: bytes | None) -> int | None:
    # A date that cannot be read is ignored (RFC 9110, section 13.1.3).
    return None if field is None or len(field) > DATE_BYTES else _date(field)


@lru_cache(maxsize=1024)
def _date(field: bytes) -> int | None:
    """Unix seconds of an HTTP date; ``None`` when it is invalid, and then the condition is ignored."""
    moment = parse_http_date(field)
    return int(moment.timestamp()) if moment else None
