"""Addresses of the web as members of a request."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StringConstraints

from citepress.base.invisible import INVISIBLE
from citepress.base.urls import URL_LENGTH, UrlError, normalise


def without(characters: re.Pattern[str], text: str) -> str:
    """The text. Raises ``ValueError`` where it holds one of these characters."""
    if match := characters.search(text):
        raise ValueError(f"holds the invisible character U+{ord(match[0]):04X}")
    return text


def _web(url: str) -> str:
    if not url.lower().startswith(("https://", "http://")):
        raise ValueError("must be an https URL")
    return address_of(url)


def address_of(url: str) -> str:
    """The address as it was given. Raises ``ValueError`` where it is none."""
    without(INVISIBLE, url)
    try:
        normalise(url)
    except UrlError as error:
        raise ValueError(f"is not a URL: {error}") from None
    if "@" in urlsplit(url).netloc:
        raise ValueError("must not carry a user name or password")
    return url


Web = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=URL_LENGTH),
    AfterValidator(_web),
    Field(json_schema_extra={"format": "uri", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://"}),
]
"""An http or https address."""
