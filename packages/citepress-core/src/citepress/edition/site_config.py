"""The configuration of a site as its edition carries it, for everything that runs without the archive."""

from functools import cached_property
from typing import Any

from pydantic import ConfigDict, Field

from citepress.contract.citation import Imprint
from citepress.contract.model import Model, Moment
from citepress.contract.site import Publication, Site


class EditionExtension(Model):
    """An extension that an edition was built with."""

    distribution: str
    version: str
    digest: str
    """Of its code, in hexadecimal."""


class SiteConfig(Model):
    """What the service needs to know of the site that an edition was built from.

    How an installation runs (``Deployment``) is not part of it: an edition travels, and holds what is published.
    """

    model_config = ConfigDict(extra="ignore")  # another version may tell more

    publication: Publication
    """What public documents may show of the site."""
    facts: dict[str, Any] = Field(default_factory=dict)
    """What extensions tell whoever serves the edition."""
    as_of: Moment
    """The newest date of a record."""
    owner: str
    """Name of the publisher, for the frame of pages that are written while serving."""
    filled: list[str] = Field(default_factory=list)
    """Names of the kinds and registries that hold anything, for the navigation of the same pages."""
    templates: dict[str, str] = Field(default_factory=dict)
    """The archive's own page templates by file name, for the same pages."""
    deprecated_paths: dict[str, str] = Field(default_factory=dict)
    """The regular expression of each deprecated path that is a template of the route table."""
    extensions: dict[str, EditionExtension] = Field(default_factory=dict)
    """Extensions that gave a part of the edition, by name: whoever serves it needs them too."""
    drafts: bool = False
    """Whether drafts are shown, so that nothing may be stored or indexed by others."""

    @property
    def base_url(self) -> str:
        """The public address without a trailing slash."""
        return self.publication.base_url

    @property
    def publisher(self) -> Imprint:
        """Who stands behind every citation."""
        return self.publication.publisher(self.owner)

    @cached_property
    def site(self) -> Site:
        """The site as documents see it, with the defaults of whatever is not published."""
        return Site.model_validate(self.publication.model_dump())
