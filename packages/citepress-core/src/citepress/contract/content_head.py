"""The head of reports that are made from content files, and the parts that every report has."""

from typing import Literal

from pydantic import ConfigDict, Field

from citepress.contract.model import Model, Moment


class ReportPart(Model):
    """A part of a report: built under the names of its members, published under their aliases."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)


class Caveat(ReportPart):
    """A rule for reading the numbers."""

    code: str
    """Its stable name."""
    text: str
    """The rule in a sentence."""


class Missing(ReportPart):
    """A part of the document that could not be filled."""

    pointer: str
    """JSON Pointer of the part; empty for the whole document (RFC 6901)."""
    reason: str
    """Why there is no value."""


class ContentHead(ReportPart):
    """What a report made from content files begins with: no classifier, no network."""

    schema_version: int
    """Version of this document's schema."""
    schema_url: str = Field(alias="schema")
    """Address of this document's JSON Schema."""
    as_of: Moment
    """The newest date in the archive."""
    source: Literal["content"]
    """Made from the publisher's files."""
    missing: list[Missing]
    """Parts that could not be filled, and why."""
    caveats: list[Caveat]
    """Rules for reading the document."""
    methodology_url: str
    """Where the method is explained."""
