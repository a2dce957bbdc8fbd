"""What a publication declares to machines about its use and its making: one table, and a switch for each row."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from citepress.contract.model import Model
from citepress.contract.refs import PageMark

MadeWith = Literal["human", "ai_assisted", "ai_generated"]
"""``human``: no generative AI wrote any of the text. ``ai_assisted``: people wrote it with the help of one.
``ai_generated``: one wrote it."""
DeclarationStatus = Literal["law", "recommendation", "internet-draft", "in use"]
Place = Annotated[str, Field(pattern=r"^(/|https?://)[^\s]*$", max_length=500, examples=["/about/"]), PageMark()]
"""A path of the site, or an address elsewhere."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A way to declare something, as it stands."""

    name: str
    """Its switch in ``[declarations]``."""
    standard: str
    """What defines it, by name and version."""
    since: str
    """The day of that version, or from which it applies."""
    status: DeclarationStatus
    """How settled it is."""
    written: str
    """Where it is declared."""


DECLARATIONS = (
    Declaration("content_signal", "Content Signals", "2025-09-24", "in use", "`Content-Signal` in `/robots.txt`"),
    Declaration(
        "content_usage",
        "draft-ietf-aipref-attach-05 with the labels `train-ai` and `search`",
        "2026-08-19",
        "internet-draft",
        "`Content-Usage` on every answer",
    ),
    Declaration(
        "rsl",
        "RSL 1.0",
        "2025-12-10",
        "recommendation",
        "`/license.xml`, `Link` with `rel=license` on every answer, `License` in `/robots.txt`",
    ),
    Declaration(
        "made_with",
        "Regulation (EU) 2024/1689, Article 50(4)",
        "2026-08-02",
        "law",
        "pages, Markdown and JSON of records; `digitalSourceType` in JSON-LD where AI took part",
    ),
    Declaration(
        "publishing_principles",
        "schema.org `publishingPrinciples`",
        "2018-04-01",
        "in use",
        "JSON-LD of records and their publisher",
    ),
    Declaration(
        "corrections_policy",
        "schema.org `correctionsPolicy`",
        "2018-04-01",
        "in use",
        "JSON-LD of a publisher that is an organisation",
    ),
)
"""Everything that is declared."""


class Declarations(Model):
    """What the publication declares to machines about its use and its making."""

    content_signal: bool = True
    """Declare the content signals of ``[robots]`` in ``robots.txt``."""
    content_usage: bool = True
    """Declare them in the field ``Content-Usage`` of every answer."""
    rsl: bool = False
    """Declare them as licence terms (RSL), a legal statement: what they allow is free against attribution."""
    made_with: MadeWith | None = None
    """How texts are made, for records without this key."""
    publishing_principles: Place | None = None
    """Address of your principles."""
    corrections_policy: Place | None = None
    """Address of your policy."""
