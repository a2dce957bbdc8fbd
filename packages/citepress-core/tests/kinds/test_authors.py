"""Authors of a record: on its page, in its JSON and JSON-LD, in feeds, and in the citation."""

from pathlib import Path

from citepress.edition.documents import declared
from citepress.kinds import ALL as KINDS
from citepress.kinds.record_page import citation, record_page
from support.documents import json_of, leaves
from support.folder import assembled, checked, folder, post

ADA = {"name": "Ada Example", "url": "https://ada.example/"}


def test_the_authors_of_a_record_are_named_wherever_it_is(tmp_path: Path) -> None:
    files = {"content/posts/a.md": post(authors=[ADA, {"name": "Bo"}]), "content/posts/b.md": post(title="Other")}
    archive = assembled(folder(tmp_path, files))
    entry, other = archive.entries["posts/a"], archive.entries["posts/b"]
    assert [author.model_dump() for author in entry.record.authors] == [
        {**ADA, "orcid": None, "role": "author"},
        {"name": "Bo", "url": None, "orcid": None, "role": "author"},
    ]
    assert citation(entry, archive).line.startswith("Ada Example & Bo. (2026, ")
    linked = record_page(entry, archive).linked_data[0]
    assert linked["author"] == [{"@type": "Person", **ADA}, {"@type": "Person", "name": "Bo"}]
    assert record_page(other, archive).linked_data[0]["author"]["name"] == archive.owner.name
    feeds = leaves(archive, [family for family in declared(KINDS) if family.name in ("json_feed", "rss")])
    items = {item["title"]: item.get("authors") for item in json_of(feeds["/feed.json"])["items"]}
    assert items == {"A note": [ADA, {"name": "Bo"}], "Other": None}
    assert b"<dc:creator>Ada Example</dc:creator>" in feeds["/rss.xml"].body


def test_an_author_without_a_name_is_a_fault_with_its_place(tmp_path: Path) -> None:
    archive, faults = checked(folder(tmp_path, {"content/posts/a.md": post(authors=[{"url": "https://a.example"}])}))
    assert archive is None
    assert [(fault.code.id, fault.message.partition(":")[0]) for fault in faults] == [("CP013", "authors[0].name")]
