"""Atom: the stored feed, from which the other formats are made when somebody asks for them."""

from datetime import UTC, datetime

from citepress.base.timestamps import UNKNOWN
from citepress.edition.feeds.atom import atom, feed_of
from citepress.edition.feeds.model import Feed, FeedAuthor, FeedEntry

NOW = datetime(2026, 5, 1, tzinfo=UTC)


def test_an_entry_without_a_date_of_publication_is_read_as_it_was_written() -> None:
    author = FeedAuthor("A. Author")
    entry = FeedEntry("https://x.test/a/", "A", "https://x.test/a/", "Words.", UNKNOWN, NOW, (), (author,))
    feed = Feed("https://x.test/feed.xml", "https://x.test/", "X", "Y", "en", author, "", "", NOW, (entry,))
    written = atom(feed)
    assert b"<published>" not in written
    read = feed_of(written)
    assert read
    assert [(item.published, item.updated) for item in read.entries] == [(UNKNOWN, NOW)]
