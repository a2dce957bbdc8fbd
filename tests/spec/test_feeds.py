"""Feeds that can be kept: full text, authors, licence, an id for each change, and a bound (publication design)."""

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import feedparser
import lxml.html
import pytest
from lxml import etree

from citepress.edition.documents import declared
from citepress.edition.feeds.entries import MAX_FEED_TEXT_CHARS
from citepress.kinds import ALL as KINDS
from support.demo import COLLECTIONS, READ_BY_AGENTS, Demo
from support.documents import json_of, leaves
from support.export import exported
from support.folder import assembled, folder, post, topic

ATOM = "{http://www.w3.org/2005/Atom}"
ADA = {"name": "Ada Example", "url": "https://ada.example/", "orcid": "0000-0002-1825-0097"}
EDITOR = {"name": "Cy Other", "role": "editor"}
SITE = (
    'title = "Test archive"\nbase_url = "https://archive.test"\nlicense = "CC-BY-4.0"\nlanguage = "en"\n'
    'description = "Records for tests."\nowner = "The Press"\n'
)
BODY = "First [link](/posts/b/) & more.[^1]\n\n![A picture](picture.png)\n\n## Part\n\nThe end.\n\n[^1]: A note.\n"
NAMES = ("rss", "json_feed", "changes_feed", "topic_feed", "posts_feed")


def feeds(path: Path, files: dict[str, str]) -> dict[str, Any]:
    """The feeds of an archive of these files, by path."""
    archive = assembled(folder(path, {"content/topics/t.md": topic(), **files}, SITE))
    return leaves(archive, [family for family in declared(KINDS) if family.name in NAMES])


def changes(path: Path, *updates: dict[str, str]) -> list[str]:
    """The ids of the changes of one note."""
    leaf = feeds(path, {"content/posts/a.md": post(updates=list(updates))})["/changes.xml"]
    entries = etree.fromstring(leaf.body).iter(f"{ATOM}entry")
    return [id_ for entry in entries if "/posts/a/" in (id_ := entry.findtext(f"{ATOM}id") or "")]


@pytest.mark.requirement("feed families")
def test_each_collection_and_each_topic_has_a_feed_that_its_page_announces(demo: Demo) -> None:
    addresses = {f"/{kind}/": f"/{kind}/feed.xml" for kind in (*COLLECTIONS, *READ_BY_AGENTS)}
    addresses |= {f"/topics/{item['slug']}/": f"/feeds/{item['slug']}.xml" for item in demo.items("topics")}
    for page, address in addresses.items():
        answer = demo.get(address)
        assert answer.status == 200, address
        assert f'href="{demo.base}{address}"' in demo.get(page).text
        read = feedparser.parse(answer.body)
        assert not read.bozo, address
        assert len(read.entries) <= 50
        assert len({entry.id for entry in read.entries}) == len(read.entries)
        for entry in read.entries:
            assert entry.content[0].value
            assert not re.search(r'(?:href|src)="(?!https?:|mailto:)', entry.content[0].value), entry.id


@pytest.mark.requirement("feed families")
def test_each_feed_can_be_had_as_rss_and_json_feed_too(demo: Demo) -> None:
    pages = {f"/{kind}/": f"/{kind}/feed" for kind in (*COLLECTIONS, *READ_BY_AGENTS)}
    pages |= {f"/topics/{item['slug']}/": f"/feeds/{item['slug']}" for item in demo.items("topics")}
    for page, stem in pages.items():
        atom = feedparser.parse(demo.get(f"{stem}.xml").body)
        head = demo.get(page).text
        rss, data = demo.get(f"{stem}/rss.xml"), demo.get(f"{stem}/feed.json")
        assert (rss.type, data.type) == ("application/xml; charset=utf-8", "application/feed+json")
        for path, type_ in ((f"{stem}/rss.xml", "application/rss+xml"), (f"{stem}/feed.json", "application/feed+json")):
            assert f'type="{type_}" href="{demo.base}{path}"' in head, path
            assert demo.get(path, if_none_match=demo.get(path).fields["etag"]).status == 304
        read, feed = feedparser.parse(rss.body), data.json()
        assert not read.bozo, stem
        assert feed["feed_url"] == f"{demo.base}{stem}/feed.json"
        assert feed["home_page_url"] == read.feed.link == f"{demo.base}{page}"
        assert feed["title"] == read.feed.title == atom.feed.title
        for number, entry in enumerate(atom.entries):
            item, other = feed["items"][number], read.entries[number]
            assert item["id"] == other.id == entry.id
            assert item["title"] == other.title == entry.title
            assert item["content_html"] == other.content[0].value == entry.content[0].value
            assert item["summary"] == entry.summary
            assert item["tags"] == [tag.term for tag in entry.tags] == [tag.term for tag in other.tags]
            names = [author["name"] for author in item.get("authors", feed["authors"])]
            assert names == [author.name for author in entry.get("authors") or [atom.feed.author_detail]]
            assert datetime.fromisoformat(item["date_modified"]).timetuple()[:6] == entry.updated_parsed[:6]
            assert item["language"] == entry.content[0].language
        assert len(feed["items"]) == len(read.entries) == len(atom.entries)


def test_no_other_file_is_taken_for_a_feed(demo: Demo) -> None:
    for path in ("/changes/rss.xml", "/sitemap/rss.xml", "/nothing/feed/rss.xml", "/feeds/nothing/feed.json"):
        assert demo.get(path).status == 404, path


def test_an_export_has_every_format_also_beside_a_record_named_feed(tmp_path: Path) -> None:
    files = {"content/posts/feed.md": post("Fed.", topics=["t"]), "content/topics/t.md": topic()}
    output = exported(tmp_path, {"site.toml": SITE, **files})
    for stem in ("posts/feed", "feeds/t"):
        assert b"Fed." in (output / stem / "rss.xml").read_bytes()
        assert json.loads((output / stem / "feed.json").read_bytes())["items"][0]["title"] == "A note"
    assert json.loads((output / "posts" / "feed.json").read_bytes())["id"] == "posts/feed"


def test_the_feeds_of_a_page_differ_by_name_and_have_the_label_of_the_site(tmp_path: Path) -> None:
    labels = SITE + '[kinds.posts]\nlabel = "Notes"\n'
    out = exported(tmp_path, {"site.toml": labels, "content/posts/a.md": post()})
    for page, feed in (("posts", "/posts/feed/rss.xml"), ("posts/a", "/rss.xml"), (".", "/rss.xml")):
        links = lxml.html.parse(out / page / "index.html").getroot().findall(".//link[@title]")
        titles = [link.get("title") for link in links if "markdown" not in link.get("type")]
        addresses = {link.get("title"): link.get("href") for link in links}
        assert len(titles) == len(set(titles)), page
        assert addresses["Notes (RSS)"] == f"https://archive.test{feed}"
        assert addresses["Changes (Atom)"] == "https://archive.test/changes.xml"
        assert "ield notes (" not in (out / page / "index.html").read_text(), page


@pytest.mark.requirement("feed families")
def test_a_topic_may_do_without_a_feed(tmp_path: Path) -> None:
    files = {"content/topics/quiet.md": topic(title="Quiet", feed=False), "content/posts/a.md": post()}
    assert {path for path in feeds(tmp_path, files) if path.startswith("/feeds/")} == {"/feeds/t.xml"}


@pytest.mark.requirement("feed texts")
def test_a_doi_service_finds_text_authors_dates_language_and_an_open_licence(tmp_path: Path) -> None:
    """What Rogue Scholar asks of a blog: full text and CC BY in a feed, people with ORCID iDs, absolute addresses."""
    files = {
        "content/posts/a.md": post(BODY, authors=[ADA, EDITOR], topics=["t"], tags=["one"]),
        "content/posts/b.md": post(title="Other"),
    }
    published = feeds(tmp_path, files)
    feed = json_of(published["/feed.json"])
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["_license"] == {"name": "CC-BY-4.0", "url": "https://spdx.org/licenses/CC-BY-4.0.html"}
    assert (feed["home_page_url"], feed["language"]) == ("https://archive.test/", "en")
    assert feed["authors"] == [{"name": "The Press", "url": "https://archive.test/owner-profile/"}]
    items = {item["title"]: item for item in feed["items"]}
    note = items["A note"]
    assert note["authors"] == [{"name": "Ada Example", "url": "https://orcid.org/0000-0002-1825-0097"}]
    assert note["id"] == note["url"] == "https://archive.test/posts/a/"
    assert note["_license"]["name"] == "CC-BY-4.0"
    assert {"date_published", "date_modified", "language", "summary", "tags"} <= set(note)
    html = note["content_html"]
    assert "content_text" not in note
    assert "First" in html
    assert "The end." in lxml.html.fromstring(html).text_content()
    links = [href or "" for _, _, href, _ in lxml.html.fromstring(html).iterlinks()]
    assert "https://archive.test/posts/b/" in links
    assert all(link.startswith("https://archive.test/posts/") for link in links), links
    rss = feedparser.parse(published["/rss.xml"].body)
    assert "CC-BY-4.0" in rss.feed.rights
    whole = {entry.title: entry for entry in rss.entries}
    assert whole["A note"].content[0].value
    assert whole["A note"].author == "Ada Example"
    assert whole["Other"].author == "The Press"
    for path in ("/feeds/t.xml", "/posts/feed.xml"):
        atom = feedparser.parse(published[path].body)
        assert (atom.feed.author, atom.feed.rights) == ("The Press", "CC-BY-4.0")
        (entry,) = [entry for entry in atom.entries if entry.title == "A note"]
        assert entry.author_detail == {"name": "Ada Example", "href": "https://orcid.org/0000-0002-1825-0097"}
        assert "The end." in entry.content[0].value
        assert "https://spdx.org/licenses/CC-BY-4.0.html" in [link.href for link in entry.links]


@pytest.mark.requirement("feed ids")
def test_changes_of_one_day_have_ids_of_their_own_that_later_changes_do_not_move(tmp_path: Path) -> None:
    first, second = {"date": "2026-06-01", "note": "One."}, {"date": "2026-06-01", "note": "Two."}
    again = {"date": "2026-06-01", "note": "One."}
    before = changes(tmp_path / "before", first, second)
    assert len(before) == len(set(before)) == 3  # with the publication
    after = changes(tmp_path / "after", {"date": "2026-07-01", "note": "Three."}, first, second, again)
    assert len(after) == len(set(after)) == 5
    assert set(before) < set(after)


@pytest.mark.requirement("feed texts", "feeds")
def test_a_feed_ends_before_it_grows_beyond_its_bound(tmp_path: Path) -> None:
    files = {f"content/posts/p{n}.md": post("word " * 12_000, title=f"Note {n}", topics=["t"]) for n in range(12)}
    files["content/posts/long.md"] = post(
        "word " * (MAX_FEED_TEXT_CHARS // 4), title="Long", date="2026-06-01", topics=["t"]
    )
    published = feeds(tmp_path, files)
    for path in ("/feed.json", "/rss.xml", "/feeds/t.xml", "/posts/feed.xml"):
        assert len(published[path].body) < MAX_FEED_TEXT_CHARS + 50 * 4096, path
    items = json_of(published["/feed.json"])["items"]
    assert items[0]["title"] == "Long"
    assert items[0]["content_html"] == "<p>What it says.</p>"
    assert 5 < len(items) < 12
    assert all("word word" in item["content_html"] for item in items[1:])
