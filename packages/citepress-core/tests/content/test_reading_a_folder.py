"""What a content folder gives when it is read: drafts, scheduling, settings, everything beside records."""

import gc
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citepress.content.cache import ReadCache
from citepress.content.files import fingerprint
from citepress.contract.page import Facts
from citepress.kinds import ALL as KINDS
from citepress.kinds.record_page import record_page
from support.folder import NOW, SITE, SVG, checked, fault_places, folder, markdown, post, reading

CAPTURE = "{url: https://a.example/, captured_at: 2026-05-01, sha256: " + "0" * 64 + "}"
EVENT = f"""type: PresenceEvent
id: 01J0000000000000000000000A
event: listed
occurred_at: 2026-05-01
observed_at: 2026-05-02
subject: posts/x
surface: {{name: A list, kind: directory, url: https://a.example/}}
assurance: observed
evidence: [{CAPTURE}]
"""


def site_fault(tmp_path: Path, text: str) -> tuple[str, str, str]:
    fault = reading(folder(tmp_path, {"content/posts/x.md": post()}, site=text)).faults[0]
    return fault_places([fault])[0], fault.message, fault.hint


def test_a_byte_order_mark_and_other_line_ends_are_accepted(tmp_path: Path) -> None:
    text = post("First.\n\nSecond.").replace("\n", "\r\n")
    content = reading(folder(tmp_path, {"content/posts/x.md": b"\xef\xbb\xbf" + text.encode()}))
    assert content.faults == ()
    assert content.drafts[0].body == "First.\n\nSecond."


def test_hugos_names_and_ours_are_synonyms(tmp_path: Path) -> None:
    text = (
        "---\ntitle: T\ndescription: S\ndate: 2026-05-01T10:00:00+02:00\npublishDate: 2026-05-02\nretrieval_nugget:"
        " N\nclaims: []\n---\n"
    )
    front = reading(folder(tmp_path, {"content/posts/x.md": text})).drafts[0].front
    assert front.summary == "S"
    assert front.date == datetime(2026, 5, 1, 8, tzinfo=UTC)
    assert front.publish_date == datetime(2026, 5, 2, tzinfo=UTC)


def test_a_summary_stands_in_for_a_missing_nugget_and_the_record_says_so(tmp_path: Path) -> None:
    bare = {"title": "A note", "summary": "What it says.", "date": "2026-05-01"}
    archive, faults = checked(
        folder(
            tmp_path, {"content/posts/bare.md": markdown(bare), "content/posts/own.md": post(related=["posts/bare"])}
        )
    )
    assert archive is not None
    published = [archive.entries[f"posts/{slug}"].record.model_dump() for slug in ("bare", "own")]
    nuggets = [(record["retrieval_nugget"], record["retrieval_nugget_is_summary"]) for record in published]
    assert nuggets == [("What it says.", True), ("One sentence.", False)]
    pages = [record_page(archive.entries[f"posts/{slug}"], archive) for slug in ("bare", "own")]
    facts = [next(block for block in page.blocks if isinstance(block, Facts)).facts for page in pages]
    assert ["To quote" in {fact.label for fact in shown} for shown in facts] == [True, False]
    assert fault_places(faults) == ["content/posts/bare.md:2:1 CP062"]


def test_words_stay_words_and_dates_are_read_where_a_field_wants_them(tmp_path: Path) -> None:
    text = post().replace("title: A note", "title: No\ntags: [on, 2026-05-01, '1.10', ~x]")
    front = reading(folder(tmp_path, {"content/posts/x.md": text})).drafts[0].front
    assert front.title == "No"
    assert front.tags == ["on", "2026-05-01", "1.10", "~x"]


def test_anchors_are_shared(tmp_path: Path) -> None:
    text = post().replace(
        "title:",
        "sources:\n- {url: https://a.example/, accessed_at: &d 2026-05-02}\n- {url: https://b.example/, accessed_at:"
        " *d}\ntitle:",
    )
    sources = reading(folder(tmp_path, {"content/posts/x.md": text})).drafts[0].front.sources
    assert sources[0].accessed_at == sources[1].accessed_at == datetime(2026, 5, 2, tzinfo=UTC)


def test_drafts_and_scheduled_records_are_hidden(tmp_path: Path) -> None:
    files = {
        "content/posts/a.md": post(draft=True),
        "content/posts/b.md": post(publishDate="2027-01-01"),
        "content/posts/c.md": post(expiryDate="2026-12-01"),
        "content/posts/d.md": post(expiryDate="2026-06-01", title="Over"),
    }
    content = reading(folder(tmp_path, files))
    assert [draft.slug for draft in content.drafts] == ["c"]
    assert content.hidden == {"posts/a": "a draft", "posts/b": "scheduled for 2027-01-01"}
    assert [taken.id for taken in content.tombstones] == ["posts/d"]
    assert content.next_moment == datetime(2026, 12, 1, tzinfo=UTC)
    shown = reading(tmp_path, drafts=True, moment=datetime(2027, 1, 1, tzinfo=UTC))
    assert [draft.slug for draft in shown.drafts] == ["a", "b"]
    assert shown.next_moment is None


def test_a_withdrawn_record_needs_no_more_than_the_word(tmp_path: Path) -> None:
    content = reading(
        folder(tmp_path, {"content/posts/x.md": "---\ngone: {reason: It was wrong., date: 2026-06-01}\n---\n"})
    )
    assert content.faults == ()
    (tombstone,) = content.tombstones
    assert (tombstone.reason, tombstone.moment) == ("It was wrong.", datetime(2026, 6, 1, tzinfo=UTC))


def test_a_wrong_withdrawal_is_told(tmp_path: Path) -> None:
    content = reading(folder(tmp_path, {"content/posts/x.md": "---\ngone: {raeson: x}\n---\n"}))
    assert fault_places(content.faults) == ["content/posts/x.md:2:8 CP012"]


def test_reading_leaves_the_garbage_collector_as_it_was(tmp_path: Path) -> None:
    root = folder(tmp_path, {"content/posts/a.md": post()})
    reading(root)
    assert gc.isenabled()
    gc.disable()
    try:
        reading(root)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_only_changed_files_are_parsed_again(tmp_path: Path) -> None:
    root = folder(tmp_path, {"content/posts/a.md": post(), "content/posts/b.md": post()})
    cache = ReadCache()
    first = reading(root, cache=cache)
    (root / "content/posts/b.md").write_text(post(title="Changed title"))
    second = reading(root, cache=cache)
    assert second.drafts[0] is first.drafts[0]
    assert second.drafts[1].front.title == "Changed title"
    (root / "content/posts/a.md").unlink()
    assert [draft.slug for draft in reading(root, cache=cache).drafts] == ["b"]


def test_the_fingerprint_knows_every_file_but_what_is_made(tmp_path: Path) -> None:
    root = folder(tmp_path, {"content/posts/a.md": post(), "static/.well-known/x.txt": "x"})
    before = fingerprint(root)
    folder(
        root,
        {
            "state/x.sqlite": "x",
            "dist/index.html": "x",
            ".git/HEAD": "x",
            "content/posts/.a.md.swp": "x",
            "content/posts/a.md~": "x",
        },
        None,
    )
    assert fingerprint(root) == before
    os.utime(root / "content/posts/a.md", (1, 1))
    changed = fingerprint(root)
    assert changed != before
    (root / "static/.well-known/x.txt").unlink()
    assert fingerprint(root) != changed


def test_the_settings_are_read_and_may_be_overruled(tmp_path: Path) -> None:
    root = folder(
        tmp_path,
        {},
        site=SITE + "[limits]\nrest = 60\n[[deprecations]]\npath = '/x'\ndeprecated_on = 2026-01-01\nreason = 'old'\n",
    )
    site = reading(root, base_url="https://other.test/").site
    assert (site.base_url, site.limits.rest, site.title) == ("https://other.test", 60, "Test archive")
    assert site.deprecations[0].deprecated_on == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "place", "message", "hint"),
    [
        ("title = \n", "site.toml:1:9", "the TOML cannot be read", ""),
        ("title = 'x", "site.toml:1:11", "the TOML cannot be read", ""),
        ("titel = 'x'\n", "site.toml:1:1", "titel: is not a known key", 'did you mean "title"?'),
        (
            "title = 'x'\n\n[limits]\nrset = 5\n",
            "site.toml:4:1",
            "limits.rset: is not a known key",
            'did you mean "rest"?',
        ),
        ("[limits]\nrest = 0\n", "site.toml:2:1", "limits.rest: must be at least 1, not 0", ""),
        ("[robots]\n  search = 'maybe'\n", "site.toml:2:3", "robots.search: must be 'yes' or 'no', not 'maybe'", ""),
        ("elsewhere = [\n  '/a/', # ]\n  '/../',\n]\n", "site.toml:3:3", "elsewhere[1]: '/../' holds a segment of", ""),
        ("elsewhere = ['/a/', '/%2e%2E/x']\n", "site.toml:1:21", "elsewhere[1]: '/%2e%2E/x' holds a segment of", ""),
        ("authors = [{name = 'A', url = 'x'}]\n", "site.toml:1:25", "authors[0].url: 'x' is not in the", "write it as"),
        ("base_url = 'https://u:p@e.org'\n", "site.toml:1:1", "base_url: holds a user name or a password", ""),
        ("base_url = 'https://e.org/a/../b'\n", "site.toml:1:1", "base_url: has a path with dots", ""),
        ("base_url = 'https://e.org/a?b'\n", "site.toml:1:1", "base_url: holds a query or a fragment", ""),
        ("base_url = 'https://e.org/#b'\n", "site.toml:1:1", "base_url: holds a query or a fragment", ""),
        ("base_url = 'https://127.1/'\n", "site.toml:1:1", "base_url: 'https://127.1/' has no valid host", ""),
        ("[mentions]\nallow = ['a..b']\n", "site.toml:2:10", "mentions.allow[0]: 'a..b' is neither a host", ""),
        ("[kinds.posts]\nlable = 'x'\n", "site.toml:2:1", "kinds.posts.lable: is not a known", 'did you mean "label"?'),
        (
            "[[deprecations]]\npath = '/a'\n",
            "site.toml:1:1",
            "deprecations[0].deprecated_on: a required key is missing",
            "add",
        ),
    ],
)
def test_a_wrong_setting_is_told_with_its_line(tmp_path: Path, text: str, place: str, message: str, hint: str) -> None:
    problem = site_fault(tmp_path, text)
    assert problem[0] == f"{place} CP030"
    assert problem[1].startswith(message)
    assert problem[2].startswith(hint)


def test_a_short_window_before_a_sunset_needs_a_reason(tmp_path: Path) -> None:
    row = "[[deprecations]]\npath = '/a'\ndeprecated_on = 2026-01-01\nsunset_on = 2026-02-01\nreason = 'old'\n"
    place, message, hint = site_fault(tmp_path, row)
    assert place == "site.toml:4:1 CP032"
    assert "31 days" in message
    assert "urgent" in hint
    assert reading(folder(tmp_path, {}, site=row + "urgent = 'A hole.'\n")).faults == ()


def test_shared_sources_and_origins_are_read(tmp_path: Path) -> None:
    text = (
        "origins:\n- {id: spec-body, title: The spec body, url: https://spec.example/}\nsources:\n  spec: {url:"
        " https://spec.example/one}\n"
    )
    shared = reading(folder(tmp_path, {"content/sources.yaml": text})).shared
    assert shared.sources["spec"].url == "https://spec.example/one"
    assert shared.origins[0].id == "spec-body"


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("sources:\n  spec: {url: ftp://spec.example/}\n", "2:15 CP023"),
        (
            "origins:\n- {id: a, title: A, url: https://a.example/}\n- {id: a, title: B, url: https://b.example/}\n",
            "3:8 CP020",
        ),
        ("origins:\n- {id: A b, title: A, url: https://a.example/}\n", "2:8 CP014"),
        ("sources:\n  spec: {ulr: https://a.example/, url: https://a.example/}\n", "2:10 CP012"),
        ("sources: [a\n", "1:10 CP011"),
    ],
)
def test_faults_of_shared_sources_have_their_place(tmp_path: Path, text: str, where: str) -> None:
    assert fault_places(reading(folder(tmp_path, {"content/sources.yaml": text})).faults) == [
        f"content/sources.yaml:{where}"
    ]


@pytest.mark.parametrize(
    ("written", "read"),
    [("a@b.example", "email"), ("mailto:a@b.example", "email"), ("https://b.example/", "url"), ("Write.", "note")],
)
def test_the_owner_is_read_and_a_contact_may_be_one_line(tmp_path: Path, written: str, read: str) -> None:
    text = markdown({"name": "N", "type": "Person", "headline": "H", "description": "D", "contact": written})
    owner = reading(folder(tmp_path, {"content/owner.md": text})).owner
    assert owner is not None
    assert owner.contact is not None
    assert owner.contact.model_dump(exclude_none=True) == {read: written.removeprefix("mailto:")}


def test_a_wrong_owner_is_told(tmp_path: Path) -> None:
    text = "---\nname: N\ntype: Robot\nheadline: H\ndescription: D\n---\n"
    assert fault_places(reading(folder(tmp_path, {"content/owner.md": text})).faults) == ["content/owner.md:3:7 CP014"]


def test_registry_files_hold_one_entry_or_a_list(tmp_path: Path) -> None:
    listed = "- " + EVENT.replace("\n", "\n  ").rstrip().replace("0A", "0B")
    content = reading(folder(tmp_path, {"content/presence/a.yaml": EVENT, "content/presence/b.yaml": listed}))
    assert content.faults == ()
    assert [entry.registry for entry in content.registered] == ["presence", "presence"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (EVENT.replace("PresenceEvent", "PresenceEvnt"), "1:7 CP014"),
        (EVENT.replace("type: PresenceEvent\n", ""), "1:1 CP013"),
        (EVENT.replace("event: listed", "event: lost"), "3:8 CP014"),
        ("- " + EVENT.replace("\n", "\n  ").rstrip() + "\n- word", "10:3 CP011"),
        (EVENT.replace(f"evidence: [{CAPTURE}]", "evidence: []"), "8:12 CP014"),
    ],
)
def test_faults_of_registries_have_their_place(tmp_path: Path, text: str, where: str) -> None:
    assert fault_places(reading(folder(tmp_path, {"content/presence/a.yaml": text})).faults) == [
        f"content/presence/a.yaml:{where}"
    ]


def test_a_frozen_part_that_was_changed_is_told(tmp_path: Path) -> None:
    text = """id: set
version: v1
frozen_at: 2026-05-01
probes: [{id: P1, question: Q, canonical_citations: [{canonical_path: posts/x, role: primary}], reference_answer: A}]
scoring: {rules: [{id: hit, points: 1}]}
digest: sha-256:0000
"""
    assert fault_places(reading(folder(tmp_path, {"content/probes/a.yaml": text})).faults) == [
        "content/probes/a.yaml:6:9 CP035"
    ]


def test_redirects_are_lines_of_two_paths_or_of_a_path_and_an_address(tmp_path: Path) -> None:
    text = (
        "# moved\n/old/ /posts/x/ 308 # here\n\n/new\n/a/ mailto:x@a.example\n/b/ /c/ 302\n/d/ /d/\n/e/../f"
        " /g/\n/h/ https://Elsewhere.example/x?a=1#part\n/i/ https://\n/j/ //k.example/\n"
    )
    content = reading(folder(tmp_path, {"redirects.txt": text}))
    assert [(redirect.former, redirect.target) for redirect in content.redirects] == [
        ("/old/", "/posts/x/"),
        ("/h/", "https://Elsewhere.example/x?a=1#part"),
    ]
    assert fault_places(content.faults) == [f"redirects.txt:{line}:1 CP033" for line in (4, 5, 6, 7, 8, 10, 11)]


def test_pages_static_files_and_templates_are_read(tmp_path: Path) -> None:
    files = {
        "content/pages/about.md": "---\ntitle: About\nlastmod: 2026-05-01\n---\nWe.",
        "static/img/a.svg": SVG,
        "static/.well-known/x.txt": "x",
        "static/.hidden": "x",
        "templates/page.html": "{{ x }}",
        "templates/notes.txt": "x",
    }
    content = reading(folder(tmp_path, files))
    assert content.faults == ()
    assert (content.pages[0].slug, content.pages[0].body) == ("about", "We.")
    assert content.static == {"/img/a.svg": SVG.encode(), "/.well-known/x.txt": b"x"}
    assert content.templates == {"page.html": "{{ x }}"}


def test_a_static_file_that_cannot_stand_in_a_path_or_is_too_large_is_told(tmp_path: Path) -> None:
    content = reading(folder(tmp_path, {"static/a b.txt": "x", "static/big.bin": b"0" * 5_242_881}))
    assert fault_places(content.faults) == ["static/a b.txt:0:0 CP003", "static/big.bin:0:0 CP002"]


def test_a_plain_page_is_told_like_a_record(tmp_path: Path) -> None:
    content = reading(folder(tmp_path, {"content/pages/about.md": "---\ntilte: About\n---\n<b>x</b>"}))
    assert fault_places(content.faults) == ["content/pages/about.md:2:1 CP012"]


def test_every_folder_of_a_kind_has_the_kinds_name(tmp_path: Path) -> None:
    files = {f"content/{kind.name}/x.md": "---\ngone: true\n---\n" for kind in KINDS}
    tombstones = reading(folder(tmp_path, files)).tombstones
    assert [tombstone.id for tombstone in tombstones] == sorted(f"{kind.name}/x" for kind in KINDS)


def test_a_folder_of_kinds_without_settings_is_an_archive(tmp_path: Path) -> None:
    archive, faults = checked(folder(tmp_path, {"content/posts/x.md": post(topics=[])}, site=None), moment=NOW)
    assert archive is not None, fault_places(faults)
    assert archive.site.title == "Untitled archive"
    assert list(archive.entries) == ["posts/x"]
