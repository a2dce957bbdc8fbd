"""What a publisher says of links in texts: which of them are mentions, and which paths are another service's."""

from typing import Annotated

from pydantic import Field

from citepress.contract.model import Model

OtherPath = Annotated[str, Field(pattern=r"^/[^\s?#/][^\s?#]*$", max_length=300, examples=["/tools/"])]
"""The beginning of a path of this host that another service answers."""
MentionPlace = Annotated[
    str,
    Field(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(/[^\s?#]*)?$", max_length=300, examples=["example.org/blog"]),
]


class Mentions(Model):
    """Which links of texts to other sites become sources of role ``mentioned``."""

    allow: list[MentionPlace] = Field(default_factory=list, max_length=1000)
    """Hosts, or beginnings of addresses such as ``example.org/blog``, to which links count; all when empty. Subdomains
    are included."""
    deny: list[MentionPlace] = Field(default_factory=list, max_length=1000)
    """Hosts, or beginnings of addresses, to which links do not count."""
    limit: Annotated[int, Field(ge=0, le=1000)] = 100
    """Links that count in one record, from the top; 0 for none at all."""
