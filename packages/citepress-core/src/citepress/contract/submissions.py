"""What the core says of submissions, where an extension takes them."""

from dataclasses import dataclass

from citepress.contract.limits import Limit


@dataclass(frozen=True, slots=True)
class SubmissionOffer:
    """A service of the extension; without one, nothing is said of submissions."""

    limit: Limit
    """How many submissions one client may make."""
    correction: str
    """With what an error is reported, as the end of a sentence without its full stop."""
    source: str
    """With what a source is proposed, likewise."""
