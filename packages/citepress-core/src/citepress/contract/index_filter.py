"""The query parameters that filter an index."""

from typing import Annotated

from pydantic import Field

from citepress.contract.document import ORIGIN_PARAMETER, SLUG
from citepress.contract.model import Model, Moment


def _or_empty(pattern: str) -> str:
    """Values of this pattern, and the empty one, which is as good as none in every query."""
    return f"^(?:{pattern})?$"


DATE = _or_empty(r"[12][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T.{8,25})?")


class IndexFilter(Model):
    """The conditions that every item of a filtered index meets; a kind adds its members with few values."""

    topic: Annotated[str, Field(max_length=120, pattern=_or_empty(SLUG.pattern))] | None = None
    """Slug of a topic hub."""
    origin: Annotated[str, Field(max_length=253, pattern=_or_empty(ORIGIN_PARAMETER.pattern))] | None = None
    """Id of a source origin."""
    since: Annotated[Moment, Field(json_schema_extra={"maxLength": 35, "pattern": DATE})] | None = None
    """Updated on or after this date."""
    tag: Annotated[str, Field(max_length=80)] | None = None
    """A tag, as its author wrote it or as the path of its page names it."""
    year: Annotated[str, Field(max_length=4, pattern=_or_empty("[0-9]{4}"))] | None = None
    """Year of first publication."""
