"""The normal form in which quoted words are compared: one form of spaces and of quotation marks."""

import hashlib
import re
import unicodedata

_MARKS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u02bc\u2032\u0060\u00b4\uff07", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u301d\u301e\u301f\uff02", '"'),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
    }
)
"""Quotation marks of every style as the straight ones, and characters without width as nothing."""
_SPACES = re.compile(r"\s+")


def plain_words(text: str) -> str:
    """The text on one line in its normal form (Unicode NFC); letters keep their case."""
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text).translate(_MARKS)).strip()


def quote_digest(quote: str) -> str:
    """Names a quote in observations: quotes that differ in spaces or quotation marks alone are one."""
    return hashlib.blake2b(plain_words(quote).encode(), digest_size=16).hexdigest()
