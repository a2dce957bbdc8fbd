"""What a card says, and its size in pixels."""

from dataclasses import dataclass

WIDTH, HEIGHT = 1200, 630


@dataclass(frozen=True, slots=True)
class CardWords:
    """What a card says."""

    label: str
    """The sort of page."""
    title: str
    summary: str
    by: str
    """Its authors; empty where none are named."""
    date: str
    site: str
    """Name of the publication."""
    language: str
    """Language tag of the title: right-to-left ones are set from the right."""
