"""Links of other records to a record, as it publishes them."""

from citepress.contract.model import Model


class LinkingPassage(Model):
    """The passage of a text that holds a link: its sentence, shortened to 240 characters."""

    before: str
    """What stands before the link."""
    words: str
    """The words of the link."""
    after: str
    """What stands after it."""

    @property
    def parts(self) -> tuple[str, str, str]:
        """The three in order."""
        return self.before, self.words, self.after


class Backlink(Model):
    """A record that points at this one."""

    id: str
    """The id of the other record."""
    relation: str
    """Type of the edge: related, cites, supports, contradicts, about-topic, supersedes, links-to."""
    passage: LinkingPassage | None = None
    """The passage of the other record's text that links here first, given for the first 100 backlinks; null where
    nothing in its text does."""
