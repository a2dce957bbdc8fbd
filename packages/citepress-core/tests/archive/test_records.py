"""Records as they are published: names, dates, sources, references resolved, links both ways."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from citepress.archive.assemble import assemble, check
from citepress.content.cache import ReadCache
from citepress.contract.fault import Faults
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from support.folder import (
    SPEC,
    assembled,
    checked,
    fault_places,
    folder,
    forecast,
    markdown,
    pattern,
    post,
    reading,
    signal,
    topic,
)

TOPIC = {"content/topics/motion.md": topic()}


def test_a_record_has_its_addresses_and_the_sites_words(tmp_path: Path) -> None:
    record = (
        assembled(folder(tmp_path, TOPIC | {"content/posts/one.md": post(topics=["motion"])}))
        .entries["posts/one"]
        .record
    )
    assert record.canonical_url == record.html_url == "https://archive.test/posts/one/"
    assert record.markdown_url == "https://archive.test/posts/one.md"
    assert record.json_url == "https://archive.test/posts/one.json"
    assert (record.language, record.license, record.schema_version, record.revision) == (
        "en",
        "all rights reserved",
        1,
        1,
    )


def test_the_last_change_is_the_newest_that_is_told(tmp_path: Path) -> None:
    changes = [{"date": "2026-06-01", "note": "First."}, {"date": "2026-07-01", "note": "Second."}]
    files = {
        "content/posts/a.md": post(
            updates=changes, corrections=[{"date": "2026-08-01", "note": "Third."}], topics=["motion"]
        ),
        "content/posts/b.md": post(updates=changes, lastmod="2026-09-01", revision=9, topics=["motion"]),
    }
    entries = assembled(folder(tmp_path, TOPIC | files)).entries
    first, second = entries["posts/a"].record, entries["posts/b"].record
    assert (first.updated_at, first.revision) == (datetime(2026, 8, 1, tzinfo=UTC), 4)
    assert [update.note for update in first.updates] == ["Second.", "First."]
    assert (second.updated_at, second.revision) == (datetime(2026, 9, 1, tzinfo=UTC), 9)


def test_sources_are_published_in_full_however_they_are_written(tmp_path: Path) -> None:
    shared = (
        "sources:\n  rfc: {url: 'https://www.rfc-editor.org/rfc/rfc9110/', title: HTTP Semantics, publisher: IETF}\n"
    )
    sources = [
        "https://B.example:443/x/?utm_source=z#f",
        "rfc",
        {"url": "https://a.example/", "id": "mine", "role": "secondary"},
    ]
    claims = [
        {"text": "One.", "source_refs": ["rfc", "mine", "s1"]},
        {"text": "Two.", "source_refs": ["https://b.example/x"]},
    ]
    files = {
        "content/sources.yaml": shared,
        "content/posts/a.md": post(sources=sources, claims=claims, topics=["motion"]),
    }
    archive = assembled(folder(tmp_path, TOPIC | files))
    record = archive.entries["posts/a"].record
    assert [(source.id, source.normalized_url, source.title, source.origin) for source in record.sources] == [
        ("s1", "https://b.example/x", "b.example", "b.example"),
        ("rfc", "https://www.rfc-editor.org/rfc/rfc9110", "HTTP Semantics", "rfc-editor.org"),
        ("mine", "https://a.example/", "a.example", "a.example"),
    ]
    assert record.source_urls == [source.normalized_url for source in record.sources]
    assert [source.url for source in record.sources] == [
        "https://B.example:443/x/?utm_source=z#f",
        "https://www.rfc-editor.org/rfc/rfc9110/",
        "https://a.example/",
    ], "the address to open is the one that was written"
    assert [claim.source_refs for claim in record.claims] == [["rfc", "mine", "s1"], ["s1"]]
    assert archive.ledger["https://b.example/x"].citations[0].claims == ("One.", "Two.")


def test_provenance_names_sources_by_the_form_that_the_ledger_has(tmp_path: Path) -> None:
    url = "https://A.example/markdown-for-agents/"
    provenance = {
        "collected_by": "us",
        "method": "reading",
        "source_url": url,
        "captured_at": "2026-05-01",
        "was_derived_from": ["https://b.example/x/#part", "https://a.example/markdown-for-agents#top"],
    }
    files = {
        "content/signals/s.md": signal(
            provenance=provenance, sources=[{"url": f"{url}#why", "id": "s"}], topics=["motion"]
        )
    }
    archive = assembled(folder(tmp_path, TOPIC | files))
    record = archive.entries["signals/s"].record
    assert record.provenance.source_url == record.sources[0].normalized_url == record.source_urls[0]
    assert record.provenance.source_url in archive.ledger
    assert record.provenance.was_derived_from == ["https://b.example/x", "https://a.example/markdown-for-agents"]
    block = next(
        block for block in archive.entries["signals/s"].kind.blocks(record, archive) if block.id == "provenance"
    )
    links = {fact.label: [value.href for value in fact.values] for fact in block.facts}
    assert links["Read at"] == [f"{url}#why"], "people open the address as it was written"
    assert links["Derived from"][0] == "https://b.example/x/#part"


def test_an_address_that_changes_in_nothing_but_its_slash_is_rendered_anew(tmp_path: Path) -> None:
    def digest(url: str) -> bytes:
        return assembled(folder(tmp_path, {"content/signals/s.md": signal(sources=[url])})).entries["signals/s"].digest

    assert digest("https://a.example/x") != digest("https://a.example/x/")


def test_provenance_that_is_no_address_is_told(tmp_path: Path) -> None:
    provenance = {
        "collected_by": "us",
        "method": "reading",
        "source_url": "ftp://a.example/",
        "captured_at": "2026-05-01",
    }
    _, faults = checked(folder(tmp_path, {"content/signals/s.md": signal(provenance=provenance)}))
    assert [fault.message.partition(":")[0] for fault in faults if fault.code.id == "CP023"] == [
        "provenance.source_url"
    ]


@pytest.mark.parametrize(
    ("written", "opened"),
    [
        ("https://user:word@a.example/x/", "https://a.example/x/"),
        ('https://a.example/"<b>/#ü', "https://a.example/%22%3Cb%3E/#%C3%BC"),
        ("https://bücher.example/ä/", "https://xn--bcher-kva.example/%C3%A4/"),
    ],
)
def test_an_address_to_open_holds_only_what_a_uri_may_hold(tmp_path: Path, written: str, opened: str) -> None:
    archive = assembled(folder(tmp_path, {"content/posts/a.md": post(sources=[written])}))
    assert archive.entries["posts/a"].record.sources[0].url == opened


def test_references_may_be_written_in_four_ways_and_are_published_in_one(tmp_path: Path) -> None:
    ways = ["moves", "/patterns/moves/", "https://archive.test/patterns/moves", "patterns/moves.md"]
    files = {
        f"content/signals/s{place}.md": signal(supports=[way], topics=["/topics/motion/"])
        for place, way in enumerate(ways)
    }
    archive = assembled(folder(tmp_path, TOPIC | files | {"content/patterns/moves.md": pattern(topics=["motion"])}))
    for place in range(4):
        entry = archive.entries[f"signals/s{place}"]
        assert entry.record.supports == ["patterns/moves"]
        assert entry.record.related_patterns == ["patterns/moves"]
        assert entry.record.topics == ["motion"]
        assert entry.fields.supports == ["patterns/moves"]
        assert [(edge.target, edge.type) for edge in entry.edges] == [
            ("topics/motion", "about-topic"),
            ("patterns/moves", "supports"),
        ]


def test_related_records_are_named_by_either_side(tmp_path: Path) -> None:
    files = {
        "content/posts/a.md": post(related=["posts/b"]),
        "content/posts/b.md": post(),
        "content/posts/c.md": post(related=["posts/b"]),
    }
    entries = assembled(folder(tmp_path, files)).entries
    assert entries["posts/b"].record.related == ["posts/a", "posts/c"]
    assert entries["posts/b"].edges == ()
    assert [(backlink.id, backlink.relation) for backlink in entries["posts/b"].record.backlinks] == [
        ("posts/a", "related"),
        ("posts/c", "related"),
    ]


def test_links_in_the_text_are_edges_once_each(tmp_path: Path) -> None:
    body = (
        "[a](/posts/b/) [b](../b/#part) [c](https://archive.test/posts/b.md) ![d](/posts/c.json)"
        " `[e](/posts/no/)`\n\n[r]\n\n[r]: /topics/motion/"
    )
    files = {"content/posts/a.md": post(body), "content/posts/b.md": post(), "content/posts/c.md": post()}
    entries = assembled(folder(tmp_path, TOPIC | files)).entries
    assert [(edge.target, edge.type) for edge in entries["posts/a"].edges] == [
        ("posts/b", "links-to"),
        ("posts/c", "links-to"),
        ("topics/motion", "links-to"),
    ]


def test_references_to_hidden_records_are_left_out_with_a_warning(tmp_path: Path) -> None:
    files = {
        "content/posts/a.md": post(
            "[x](/posts/gone/)", related=["posts/draft", "posts/b", "posts/later"], topics=["motion"]
        ),
        "content/posts/b.md": post(),
        "content/posts/draft.md": post(draft=True),
        "content/posts/later.md": post(publishDate="2027-01-01"),
        "content/posts/gone.md": "---\ngone: true\n---\n",
    }
    archive, faults = checked(folder(tmp_path, TOPIC | files))
    assert archive is not None
    assert archive.entries["posts/a"].record.related == ["posts/b"]
    assert fault_places(faults) == [f"content/posts/a.md:{place} CP043" for place in ("8:3", "10:3", "15:1")]
    assert "scheduled for 2027-01-01" in faults[1].message


def test_a_reference_that_cannot_be_left_out_is_an_error(tmp_path: Path) -> None:
    task = markdown(
        {
            "title": "T",
            "summary": "S",
            "date": "2026-05-01",
            "task": "verify_claim",
            "input": "I",
            "expected_output": "E",
            "how_to_submit": "submit_source",
            "status": "open",
            "related_record": "posts/a",
        }
    )
    _, faults = checked(folder(tmp_path, {"content/agent-tasks/t.md": task, "content/posts/a.md": post(draft=True)}))
    assert "content/agent-tasks/t.md:10:17 CP021" in fault_places(faults)


def test_topics_know_their_members_newest_first(tmp_path: Path) -> None:
    files = {
        "content/posts/old.md": post(topics=["motion"], date="2026-01-01"),
        "content/posts/new.md": post(topics=["motion"], date="2026-06-01"),
        "content/topics/rest.md": topic(related=["topics/motion"]),
    }
    archive = assembled(folder(tmp_path, TOPIC | files))
    assert [entry.record.slug for entry in archive.topics["motion"]] == ["new", "old"]
    assert archive.topics["rest"] == ()
    assert [entry.record.slug for entry in archive.collections["posts"]] == ["new", "old"]
    assert set(archive.collections) == {kind.name for kind in KINDS}


def test_changes_are_told_newest_first(tmp_path: Path) -> None:
    note = {"note": "Note.", "credit": "a reader"}
    deprecation = "[[deprecations]]\npath='/old.json'\ndeprecated_on=2026-02-01\nreason='Unused.'\n"
    files = {
        "content/posts/a.md": post(
            updates=[{"date": "2026-06-01", **note}], corrections=[{"date": "2026-07-01", **note}], topics=["motion"]
        ),
        "content/patterns/p.md": pattern(revisions=[{"date": "2026-08-01", **note}], topics=["motion"]),
        "content/forecasts/f.md": forecast(status="resolved_no", resolved_at="2026-09-01", topics=["motion"]),
        "content/posts/z.md": "---\ntitle: Z\ngone: {date: 2026-10-01, reason: Wrong., successor: posts/a}\n---\n",
    }
    archive = assembled(folder(tmp_path, TOPIC | files, site=deprecation))
    assert [(change.change, change.record, change.note) for change in archive.changes] == [
        ("withdrawn", "posts/z", "Wrong."),
        ("resolved", "forecasts/f", "It resolved: no."),
        ("revised", "patterns/p", "Note."),
        ("corrected", "posts/a", "Note."),
        ("updated", "posts/a", "Note."),
        ("published", "forecasts/f", "What will be."),
        ("published", "patterns/p", "What moves."),
        ("published", "posts/a", "What it says."),
        ("published", "topics/motion", "What it asks."),
        ("deprecated", "", "Unused. Deprecated on 2026-02-01."),
    ]
    assert archive.changes[4].credit == "a reader"
    assert (archive.withdrawn[0].path, archive.withdrawn[0].successor) == ("/posts/z/", "/posts/a/")
    assert archive.as_of == datetime(2026, 10, 1, tzinfo=UTC)
    assert [change.title for change in archive.changes if change.change == "withdrawn"] == ["posts/z"]


def test_an_empty_archive_stands_at_the_beginning_of_time(tmp_path: Path) -> None:
    archive = assembled(folder(tmp_path, {}))
    assert archive.as_of == datetime(1970, 1, 1, tzinfo=UTC)
    assert (archive.owner.name, archive.owner.type) == ("Test archive", "Organization")


def test_what_has_not_changed_is_the_same_object_again(tmp_path: Path) -> None:
    root = folder(
        tmp_path,
        TOPIC | {"content/posts/a.md": post(related=["posts/b"], sources=[SPEC]), "content/posts/b.md": post()},
    )
    cache = ReadCache()
    first = assembled(root, cache=cache)
    (root / "content/posts/b.md").write_text(post(title="Changed", related=["topics/motion"]))
    second = assembled(root, cache=cache)
    assert second.entries["posts/a"] is first.entries["posts/a"]
    assert second.entries["posts/b"].record.title == "Changed"
    assert [backlink.id for backlink in second.entries["topics/motion"].record.backlinks] == ["posts/b"]
    (root / "content/posts/b.md").unlink()
    _, faults = checked(root, cache=cache)
    assert "content/posts/a.md:8:3 CP021" in fault_places(faults)


def test_one_folder_gives_one_archive_whatever_was_kept(tmp_path: Path) -> None:
    root = folder(
        tmp_path,
        TOPIC | {f"content/posts/p{n}.md": post(f"[x](/posts/p{(n + 1) % 5}/)", sources=[SPEC]) for n in range(5)},
    )
    cache = ReadCache()
    assembled(root, cache=cache)
    cached, fresh = assembled(root, cache=cache), assembled(root)
    assert [entry.record.model_dump_json() for entry in cached.entries.values()] == [
        e.record.model_dump_json() for e in fresh.entries.values()
    ]
    assert (cached.ledger, cached.origins, cached.changes) == (fresh.ledger, fresh.origins, fresh.changes)


def test_errors_of_the_folder_and_of_the_archive_are_raised_together(tmp_path: Path) -> None:
    content = reading(
        folder(tmp_path, {"content/posts/a.md": post(related=["posts/nobody"]), "content/psots/b.md": post()})
    )
    with pytest.raises(Faults) as raised:
        assemble(content, KINDS, REGISTRIES)
    assert fault_places(raised.value.faults) == [
        "content/posts/a.md:8:3 CP021",
        "content/psots:0:0 CP005",
    ]


def test_routes_of_the_service_may_be_linked_and_others_not(tmp_path: Path) -> None:
    content = reading(
        folder(tmp_path, TOPIC | {"content/posts/a.md": post("[x](/agents/) [y](/agnets/)", topics=["motion"])})
    )
    _, faults = check(content, KINDS, REGISTRIES, lambda path: path == "/agents/")
    assert fault_places(faults) == ["content/posts/a.md:11:15 CP025"]
    _, trusting = check(content, KINDS, REGISTRIES)
    assert trusting == ()
    folder(tmp_path, {"content/posts/a.md": post("[x](/psots/b/) [y](/posts/llms.txt)", topics=["motion"])})
    _, sure = check(reading(tmp_path), KINDS, REGISTRIES)
    assert [fault.hint for fault in sure] == ['did you mean "/posts/"?']
