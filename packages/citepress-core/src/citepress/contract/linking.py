"""What a publisher says of links in texts: which of them are mentions, and which paths are another service's."""

from typing import Annotated
from urllib.parse import unquote

from pydantic import AfterValidator, Field

from citepress.base.urls import UrlError, normalise
from citepress.contract.model import Model


def _without_dots(path: str) -> str:
    """A path that begins what it says. Raises ``ValueError``."""
    if {".", ".."} & set(unquote(path).split("/")):
        raise ValueError(f"{path!r} holds a segment of dots: write where it leads")
    return path


def _normal_place(place: str) -> str:
    """A host, or the beginning of an address, as normalised addresses begin. Raises ``ValueError``."""
    try:
        return normalise(f"https://{place}").removeprefix("https://").rstrip("/")
    except UrlError as error:
        raise ValueError(f"{place!r} is neither a host nor the beginning of an address: {error}") from None


OtherPath = Annotated[
    str, Field(pattern=r"^/[^\s?#/][^\s?#]*$", max_length=300, examples=["/tools/"]), AfterValidator(_without_dots)
]
"""The beginning of a path of this host that another service answers."""
MentionPlace = Annotated[
    str,
    Field(pattern=r"^[^\s/?#:@]+(/[^\s?#]*)?$", max_length=300, examples=["example.org/blog"]),
    AfterValidator(_normal_place),
]


class Mentions(Model):
    """Which links of texts to other sites become sources of role ``mentioned``."""

    allow: list[MentionPlace] = Field(default_factory=list, max_length=1000)
    """Links to these hosts with subdomains, or beginnings of addresses (``example.org/b``), count; by default all."""
    deny: list[MentionPlace] = Field(default_factory=list, max_length=1000)
    """Links to these do not count."""
    limit: Annotated[int, Field(ge=0, le=1000)] = 100
    """Links that count in one record, from the top; 0 for none."""
