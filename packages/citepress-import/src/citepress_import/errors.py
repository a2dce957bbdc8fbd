"""The reason why a source as a whole cannot be imported."""

from citepress.base.errors import CitepressError


class ImportRefusedError(CitepressError):
    """The source cannot be imported; the message is one sentence for the person who runs the command."""
