"""The types of the citation forms that are JSON; other standards fix them, and only what is written is named here."""

from pydantic import ConfigDict, Field, RootModel

from citepress.contract.model import Model


class _Sparse(Model):
    """A document that leaves out what has no value."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)


class CslName(_Sparse):
    """A name that is not taken apart."""

    literal: str
    """The name as it is written."""


class CslDate(_Sparse):
    """A date."""

    date_parts: list[list[int]] = Field(alias="date-parts")
    """Year, month and day, in a list of one."""


class CslItem(_Sparse):
    """A citation, in the members of the CSL data schema."""

    id: str
    """Its key in a bibliography."""
    type: str
    """webpage or dataset."""
    title: str
    """The headline."""
    author: list[CslName]
    """Who wrote it."""
    editor: list[CslName] = Field(default_factory=list)
    """Who edited it."""
    translator: list[CslName] = Field(default_factory=list)
    """Who translated it."""
    issued: CslDate
    """First publication."""
    container_title: str = Field(alias="container-title")
    """Name of the publication."""
    publisher: str = ""
    """The same, where that is not the author."""
    version: str
    """Revision or version, and its day."""
    doi: str = Field("", alias="DOI")
    """The DOI without its resolver."""
    url: str = Field(alias="URL")
    """Canonical address of the page."""
    language: str = ""
    """BCP 47 language tag."""
    abstract: str = ""
    """One or two sentences."""
    keyword: str = ""
    """Tags, separated by commas."""


class CslDocument(RootModel[list[CslItem]]):
    """The citation of one record or dataset as CSL-JSON."""


class LinkTarget(_Sparse):
    """The target of a link."""

    href: str
    """Its address."""
    type: str = ""
    """Its media type."""


class LinkContext(_Sparse):
    """The links of one page, by relation."""

    anchor: str
    """Canonical address of the page."""
    alternate: list[LinkTarget] = Field(default_factory=list)
    """Its other forms."""
    cite_as: list[LinkTarget] = Field(default_factory=list, alias="cite-as")
    """The persistent address (RFC 8574)."""
    type: list[LinkTarget] = Field(default_factory=list)
    """What it is."""
    license: list[LinkTarget] = Field(default_factory=list)
    """Its licence."""
    author: list[LinkTarget] = Field(default_factory=list)
    """Its authors."""
    item: list[LinkTarget] = Field(default_factory=list)
    """Files that hold its content."""
    describedby: list[LinkTarget] = Field(default_factory=list)
    """Its citation in other forms."""
    version_history: list[LinkTarget] = Field(default_factory=list, alias="version-history")
    """The history of the record (RFC 5829)."""
    latest_version: list[LinkTarget] = Field(default_factory=list, alias="latest-version")
    """The record itself, which always shows its newest revision."""
    predecessor_version: list[LinkTarget] = Field(default_factory=list, alias="predecessor-version")
    """The revision before the present one."""
    original: list[LinkTarget] = Field(default_factory=list)
    """What the revisions are of (RFC 7089)."""
    timegate: list[LinkTarget] = Field(default_factory=list)
    """The address that leads to the revision of a moment."""
    timemap: list[LinkTarget] = Field(default_factory=list)
    """The list of the revisions by their moments."""


class LinksetDocument(Model):
    """The typed links of one record or dataset (RFC 9264)."""

    linkset: list[LinkContext]
    """One context."""
