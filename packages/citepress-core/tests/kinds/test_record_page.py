"""The page of a record: its order, its neighbours, its bounds."""

from dataclasses import replace

import pytest

from citepress.contract.backlink import Backlink, LinkingPassage
from citepress.contract.page import Cards, Cite, Items, Notice, Nugget, Prose, Sources
from citepress.contract.record import RecordUpdate
from citepress.kinds import ALL
from citepress.kinds.linked_from import MAX_SHOWN_NEIGHBOURS
from citepress.kinds.record_page import record_inputs, record_page
from support.archive import DAY, archive_of, entry


def page_of(id_, *entries, **parts):
    archive = archive_of(*entries, **parts)
    return record_page(archive.entries[id_], archive)


def block(page, anchor):
    return next((block for block in page.blocks if block.id == anchor), None)


@pytest.mark.parametrize("kind", [kind.name for kind in ALL])
def test_every_kind_has_a_page_with_its_record_as_data_and_unique_anchors(kind):
    page = page_of(f"{kind}/x", entry(f"{kind}/x"), entry("posts/one"))
    anchors = [block.id for block in page.blocks]
    assert page.data.id == f"{kind}/x"
    assert page.path == f"/{kind}/x/"
    assert [crumb.href for crumb in page.crumbs] == ["/", f"/{kind}/"]
    assert len(set(anchors)) == len(anchors)


def test_the_nugget_comes_first_then_claims_text_and_sources():
    page = page_of("posts/x", entry("posts/x", body_markdown="Text."))
    assert isinstance(page.blocks[0], Nugget)
    order = [block.id for block in page.blocks]
    assert order == ["nugget", "claims", "text", "sources", "cite", "about"]
    assert isinstance(block(page, "text"), Prose)


def test_a_nugget_that_the_text_begins_with_is_left_out():
    page = page_of("posts/x", entry("posts/x", retrieval_nugget="Bees dance.", body_markdown="Bees *dance*. They fly."))
    assert block(page, "nugget") is None


def test_a_record_without_text_has_no_empty_block():
    assert block(page_of("posts/x", entry("posts/x", body_markdown=" \n")), "text") is None


def test_sources_show_dates_role_and_a_link_to_their_origin():
    sources = block(page_of("posts/x", entry("posts/x")), "sources")
    assert isinstance(sources, Sources)
    (source,) = sources.sources
    assert (source.url, source.role, source.published, source.accessed) == (
        "https://spec.example/one",
        "primary",
        DAY,
        DAY,
    )
    assert (source.origin.text, source.origin.href) == ("Spec example", "/sources/spec.example/")


def test_topics_are_links_and_an_unpublished_topic_is_passed_over():
    page = page_of("posts/x", entry("posts/x", topics=["t", "missing"]), entry("topics/t"))
    assert [(link.text, link.href) for link in page.topics] == [("Title of t", "/topics/t/")]


def test_neighbours_say_their_relation_in_words():
    entries = (
        entry("posts/x", related=["posts/y"], supersedes=["posts/old"]),
        entry("posts/y"),
        entry("posts/old"),
        entry("patterns/p"),
        entry("signals/s", supports=["p"], contradicts=[]),
    )
    related = block(page_of("posts/x", *entries), "related")
    assert [(card.href, card.marks) for card in related.cards] == [("/posts/y/", ("related",))]
    (linking,) = block(page_of("patterns/p", *entries), "backlinks").items
    assert (linking.href, [link.text for link in linking.links]) == ("/signals/s/", ["Signal", "supports this"])


def test_a_record_that_links_here_in_several_ways_is_listed_once_with_its_passage():
    x = entry("posts/x")
    links = [
        Backlink(id="posts/a", relation="links-to", passage=LinkingPassage(before="See ", words="it", after=".")),
        Backlink(id="posts/b", relation="cites"),
        Backlink(id="posts/b", relation="links-to"),
        Backlink(id="posts/b", relation="about-topic"),
    ]
    archive = archive_of(x, entry("posts/a"), entry("posts/b"))
    archive.entries["posts/x"].record.backlinks.extend(links)
    items = block(record_page(archive.entries["posts/x"], archive), "backlinks").items
    assert [(item.href, item.passage, item.links[1].text) for item in items] == [
        ("/posts/b/", None, "cites this as evidence, links here"),
        ("/posts/a/", ("See ", "it", "."), "links here"),
    ]


def test_a_superseded_record_says_so_first():
    old = entry("posts/old")
    new = entry("metadox/new", records=["posts/old"])
    archive = archive_of(old, new)
    record = archive.entries["posts/old"].record
    record.backlinks.append(type(record.backlinks[0])(id="metadox/new", relation="supersedes"))
    first = record_page(archive.entries["posts/old"], archive).blocks[0]
    assert isinstance(first, Notice)
    assert first.href == "/metadox/new/"


EDITED = RecordUpdate(id="updated-2", date=DAY, note=None, credit=None)


def test_corrections_and_updates_carry_their_credits():
    page = page_of(
        "posts/x",
        entry(
            "posts/x",
            updates=[RecordUpdate(id="updated-1", date=DAY, note="New part.", credit="a reader"), EDITED],
            corrections=[RecordUpdate(id="corrected-1", date=DAY, note="Wrong figure.", credit=None)],
            revision=3,
        ),
    )
    assert block(page, "updates").items[0].links[0].text == "Credit: a reader"
    assert block(page, "updates").items[1].text == "Edited; no note was given."
    assert block(page, "corrections").items[0].text == "Wrong figure."


def test_the_citation_is_plain_text_with_title_publication_date_revision_and_address():
    cite = block(page_of("posts/x", entry("posts/x", revision=2)), "cite")
    assert isinstance(cite, Cite)
    assert (
        cite.citation.line == "Test press. (2026, March 1). Title of x (Revision 2, 2026-03-01). Test archive."
        " https://archive.test/posts/x/"
    )


def test_linked_data_name_owner_licence_citations_and_publication():
    (data,) = page_of("posts/x", entry("posts/x")).linked_data
    assert data["@type"] == "TechArticle"
    assert data["headline"] == "Title of x"
    assert data["author"]["name"] == data["publisher"]["name"] == "Test press"
    assert data["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert data["citation"] == ["https://spec.example/one"]
    assert data["isPartOf"]["name"] == "Test archive"
    assert data["datePublished"] == data["dateModified"] == "2026-03-01T00:00:00Z"


def test_a_licence_that_is_a_sentence_is_no_address():
    (data,) = page_of("posts/x", entry("posts/x", license="all rights reserved")).linked_data
    assert "license" not in data


def test_a_topic_shows_its_members_by_kind_and_no_more_than_its_bound():
    members = [entry(f"signals/s{n}", topics=["t"]) for n in range(MAX_SHOWN_NEIGHBOURS + 5)]
    page = page_of("topics/t", entry("topics/t", feed=True), entry("posts/x", topics=["t"]), *members)
    signals = block(page, "members-signals")
    assert isinstance(signals, Cards)
    assert len(signals.cards) == MAX_SHOWN_NEIGHBOURS
    assert (signals.more.text, signals.more.href) == ("5 more in the JSON index of signals", "/signals.json?topic=t")
    assert [link.href for link in page.feeds] == ["/feeds/t.xml"]
    assert block(page, "backlinks") is None


def test_a_topic_without_a_feed_has_none():
    assert page_of("topics/t", entry("topics/t", feed=False)).feeds == ()


def test_a_list_of_backlinks_is_bounded_and_says_where_the_rest_is():
    signals = [entry(f"signals/s{n}", supports=["p"]) for n in range(MAX_SHOWN_NEIGHBOURS + 2)]
    backlinks = block(page_of("patterns/p", entry("patterns/p"), *signals), "backlinks")
    assert isinstance(backlinks, Items)
    assert len(backlinks.items) == MAX_SHOWN_NEIGHBOURS + 1
    assert (backlinks.items[-1].title, backlinks.items[-1].href) == ("2 more", "/patterns/p.json")


def test_the_inputs_of_a_page_change_with_what_it_shows_of_others():
    def inputs(**facts):
        other = replace(entry("posts/y"), **facts)
        archive = archive_of(entry("posts/x", related=["posts/y"]), other, entry("signals/z"))
        return record_inputs(archive.entries["posts/x"], archive), record_inputs(archive.entries["signals/z"], archive)

    (shown, apart), (shown_after, apart_after) = inputs(face=b"a"), inputs(face=b"b")
    assert shown != shown_after
    assert apart == apart_after
    assert inputs(digest=b"a") == inputs(digest=b"b"), "a text that others do not show"


@pytest.mark.parametrize(
    ("summary", "body", "repeated"),
    [
        ("Bees dance.", "Bees *dance*. They fly.", True),
        ("Bees dance…", "[Bees](https://bees.example/) dance and fly.", True),
        ("Bees dance.", "Ants walk.\n\nBees dance.", False),
        ("Bees dance.", "", False),
    ],
)
def test_a_summary_that_the_text_begins_with_is_not_shown_above_it(summary, body, repeated):
    page = page_of(
        "posts/x", entry("posts/x", summary=summary, retrieval_nugget=summary, claims=[], body_markdown=body)
    )
    assert page.description == summary
    assert page.dek == ("" if repeated else summary)


def test_a_summary_stays_where_a_nugget_comes_before_the_text():
    assert page_of("posts/x", entry("posts/x", summary="Bees dance.", body_markdown="Bees dance.")).dek
