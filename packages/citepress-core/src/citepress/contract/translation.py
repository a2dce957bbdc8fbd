"""A text in one of its languages, as its record lists it."""

from citepress.contract.model import Model


class Translation(Model):
    """A text in one of its languages."""

    language: str
    """BCP 47 language tag."""
    id: str
    """Id of the record."""
    title: str
    """Its headline."""
    url: str
    """Address of its page."""
