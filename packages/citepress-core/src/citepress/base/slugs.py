"""The rules of slugs: which text may be one, and which slug a title, a tag or a path gets."""

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import unquote

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
"""A slug: lower-case words and digits joined by single hyphens."""
SLUG_LENGTH = 96
LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "ø": "o", "Ø": "O", "œ": "oe", "Œ": "Oe", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D"}
    | {"ł": "l", "Ł": "L", "þ": "th", "Þ": "Th", "\u0131": "i", "ħ": "h", "ŋ": "n", "\u2019": "", "'": ""}
)
"""Latin letters that Unicode does not take apart, and apostrophes, which join what they stand between."""


def is_slug(text: str) -> bool:
    """Whether the text can be a slug in a public path."""
    return len(text) <= SLUG_LENGTH and SLUG.fullmatch(text) is not None


def slugify(text: str) -> str:
    """The nearest slug to any text; empty where none of its characters can be in a path."""
    return _hyphenated(text)[:SLUG_LENGTH].strip("-")


def digest_slug(words: str, path: str) -> str:
    """Words as a slug that a digest of a whole path tells from every other."""
    digest = blake2b(unicodedata.normalize("NFC", path).encode(), digest_size=4).hexdigest()
    return f"{words[: SLUG_LENGTH - len(digest) - 1].strip('-') or 'note'}-{digest}"


def slug_of_address(address: str) -> str:
    """The slug in the last part of an address, as in ``/2019/10/hello-world.html``; empty where it holds none."""
    last = unquote(address.partition("?")[0].partition("#")[0]).rstrip("/").rpartition("/")[2]
    name = re.sub(r"^index\.\w+$|\.(?:html?|php|aspx?|md)$", "", last)
    return slugify(plain_letters(name)) if name.isascii() or _is_mostly_latin(name) else ""


def _is_mostly_latin(name: str) -> bool:
    letters = plain_letters(name)
    return sum(char.isascii() and char.isalnum() for char in letters) * 2 > sum(map(str.isalnum, letters))


@lru_cache(maxsize=65_536)
def slug_of_path(path: str) -> str:
    """A slug that tells a path from others: its Latin letters and digits as one word.

    Where letters of other scripts are left out of it, or it would be too long, a digest of the whole path follows.
    """
    letters = plain_letters(path)
    words = _hyphenated(letters)
    if words and len(words) <= SLUG_LENGTH and not any(char.isalnum() and not char.isascii() for char in letters):
        return words
    return digest_slug(words, path)


def _hyphenated(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


_SIGNS = {"+": "plus", "#": "sharp", ".": "dot"}
_NAMED_SIGN = re.compile(r"(?<=[A-Za-z0-9+#])[+#](?![A-Za-z0-9])|(?<=[A-Za-z0-9])\+(?=\+)|(?<![\w.])\.(?=[A-Za-z])")
"""A plus or sharp sign at the end of a word, and a full stop before one."""


@lru_cache(maxsize=16_384)
def tag_slug(tag: str) -> str:
    """The slug of a tag; that of a slug is itself. Words of other alphabets have a digest for one.

    Signs that tell names apart are spelt out: ``C++`` is ``cplusplus``, ``C#`` ``csharp``, and ``.NET`` ``dotnet``.
    """
    spelt = _NAMED_SIGN.sub(lambda sign: _SIGNS[sign[0]], tag)
    return slugify(plain_letters(spelt)) or f"tag-{blake2b(tag.casefold().encode(), digest_size=4).hexdigest()}"


def plain_letters(text: str) -> str:
    """The text in the letters of ASCII as far as its Latin letters go: ``unicode`` for ``ünïcode``."""
    plain = unicodedata.normalize("NFKD", text.translate(LETTERS))
    return "".join(char for char in plain if not unicodedata.combining(char))
