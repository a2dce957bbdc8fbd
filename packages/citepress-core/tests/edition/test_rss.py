"""RSS: texts that no reader takes for HTML."""

from dataclasses import replace
from datetime import UTC, datetime

from lxml import etree

from citepress.edition.feeds.model import Feed, FeedAuthor, FeedEntry
from citepress.edition.feeds.rss import rss

NOW = datetime(2026, 5, 1, tzinfo=UTC)
HTML = "If 1 < 2: R&D <img src=x onerror=alert(1)> </title><!-- <?x"
ENTRY = FeedEntry("https://x.test/a/", HTML, "https://x.test/a/", HTML, NOW, NOW, (HTML,), (FeedAuthor(HTML),))
FEED = Feed("https://x.test/rss.xml", "https://x.test/", HTML, HTML, "en", FeedAuthor(HTML), "", "", NOW, (ENTRY,))


def test_no_text_of_a_feed_holds_a_tag_when_it_is_decoded_once() -> None:
    texts = [element.text or "" for element in etree.fromstring(rss(FEED)).iter() if len(element) == 0]
    assert len([text for text in texts if "onerror" in text]) == 6
    for text in texts:
        assert not any(f"<{start}" in text for start in "it/!?")


def test_a_plain_title_is_written_as_it_is() -> None:
    title = "R&D: 1 < 2"
    document = etree.fromstring(rss(replace(FEED, title=title)))
    assert document.findtext("channel/title") == title
