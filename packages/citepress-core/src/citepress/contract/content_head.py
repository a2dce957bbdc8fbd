"""The parts that the head of every report has."""

from pydantic import ConfigDict

from citepress.contract.model import Model


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
