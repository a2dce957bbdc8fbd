"""Accepting a correction edits the passage it is about.

Every other byte stays, and no text of an agent is published unasked.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citepress.content import yaml_loader
from citepress.content.source_map import split
from citepress_inbox import accept as room
from citepress_inbox.accept import Accepted, accept, credit_published, locate_passage
from citepress_inbox.change import AcceptError, Decision
from citepress_inbox.passage import Edit, PassageError, apply_change, edits, passages
from citepress_inbox.patch import edit_file
from citepress_inbox.ports import Status
from citepress_inbox.review import submission_by_id
from citepress_inbox.sql_inbox import SqlInbox
from support.folder import assembled, folder, forecast, reading
from support.stores import hand_in, later, submission

MONDAY = later(days=2)
FRONT = """---
title: "A note"   # quoted
summary: What it says.
date: 2026-05-01
retrieval_nugget: >-
  The cache keeps
  the oldest entry.
claims:
  - text: 'It keeps 10 entries, and no more.'   # measured
    source_refs: [spec]
sources:
  - {id: spec, url: "https://spec.example/one"}
---

# The text

> A **cache** keeps
> the *oldest* entry, it is said.

It holds 10 entries.  It holds 10 entries.
"""
PROOF = "https://proof.example/"


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return folder(tmp_path / "archive", {"content/posts/x.md": FRONT})


def text_of(content: Path) -> str:
    return (content / "content/posts/x.md").read_text()


def correction(inbox: SqlInbox, claim: str | None, **members: Any) -> str:
    return hand_in(inbox, submission("correction", claim=claim, **members)).stored.id


def take(inbox: SqlInbox, content: Path, id_: str, **options: Any) -> Accepted:
    return accept(inbox, reading(content, moment=MONDAY), id_, "mo", MONDAY, Decision(**options))


def noted(id_: str, note: str) -> str:
    return f"corrections:\n- date: 2026-11-23\n  note: {note}\n  credit: Reader\n  submission: {id_}\n"


def test_the_passage_is_edited_the_evidence_cited_and_nothing_else_changes(inbox: SqlInbox, content: Path) -> None:
    id_ = correction(inbox, "A cache keeps the oldest entry", evidence_urls=[PROOF, "https://SPEC.example/one/"])
    take(inbox, content, id_, replace="A cache keeps the newest entry")
    note = noted(id_, "“A **cache** keeps > the *oldest* entry” now reads “A cache keeps the newest entry”.")
    expected = FRONT.replace("A **cache** keeps\n> the *oldest* entry", "A cache keeps the newest entry")
    expected = expected.replace('spec.example/one"}\n', f'spec.example/one"}}\n  - url: {PROOF}\n{note}', 1)
    assert text_of(content) == expected
    record = assembled(content, moment=MONDAY).entries["posts/x"].record
    assert record.source_urls == ["https://spec.example/one", PROOF]
    assert "keeps the newest entry, it is said" in record.body_markdown
    (credited,) = credit_published(inbox, assembled(content, moment=MONDAY), MONDAY)
    assert (credited.id, credited.credited_in) == (id_, "https://archive.test/posts/x/")


def refused(inbox: SqlInbox, content: Path, id_: str, words: str, **options: Any) -> None:
    """The acceptance is refused with these words; neither the store nor the folder changes."""
    before = text_of(content)
    with pytest.raises(AcceptError, match=words):
        take(inbox, content, id_, **options)
    assert (text_of(content), submission_by_id(inbox, id_).status) == (before, Status.QUEUED)


def test_without_an_edit_it_is_refused_and_the_passage_and_the_ways_are_shown(inbox: SqlInbox, content: Path) -> None:
    id_ = correction(inbox, "the oldest entry")
    refused(
        inbox,
        content,
        id_,
        r"(?s)--replace WORDS.*--note-only.*retrieval_nugget  “The cache keeps the oldest entry.”.*text:18:3.*proposed:"
        r" “It is not so",
    )
    unquoted = correction(inbox, None, correction="The score should be lower, see evidence.")
    refused(inbox, content, unquoted, "(?s)is not in the record: quote it with --passage.*The score should be lower")


def test_the_text_stays_only_where_the_moderator_says_so_and_why(inbox: SqlInbox, content: Path) -> None:
    id_ = correction(inbox, "the oldest entry")
    refused(inbox, content, id_, "--note-only needs a --note", note_only=True)
    refused(inbox, content, id_, "cannot be combined", note_only=True, note="Disputed.", replace="x")
    take(inbox, content, id_, note_only=True, note="Disputed.", evidence=False)
    assert text_of(content) == FRONT.replace('one"}\n', f'one"}}\n{noted(id_, "Disputed.")}', 1)


def test_the_agents_own_words_are_published_only_where_the_moderator_says_so(inbox: SqlInbox, content: Path) -> None:
    id_ = correction(inbox, "It keeps 10 entries, and no more.", correction="IT KEEPS 12, BUY TEA")
    take(inbox, content, id_, replace="It keeps 12 entries.", note="Twelve since the last release.")
    assert "BUY TEA" not in text_of(content)
    other = correction(inbox, "oldest entry, it is said", correction="newest entry")
    take(inbox, content, other, as_proposed=True, note="Newest.")
    assert "> A **cache** keeps\n> the newest entry.\n" in text_of(content)


def test_words_at_several_places_are_told_apart(inbox: SqlInbox, content: Path) -> None:
    id_ = correction(inbox, "It holds 10 entries.")
    refused(
        inbox,
        content,
        id_,
        "occurs at 2 places: choose with --at .text:20:1, text:20:23, every.",
        replace="It holds 12.",
    )
    refused(inbox, content, id_, "does not name exactly one place", replace="It holds 12.", at=("text",))
    take(inbox, content, id_, replace="It holds 12.", at=("text:20:23",), evidence=False)
    assert text_of(content).endswith("It holds 10 entries.  It holds 12.\n")
    every = correction(inbox, "entries", correction="It is called something else.")
    take(inbox, content, every, replace="items", at=("text", "claims[0].text"), evidence=False)
    assert text_of(content).count("items") >= 2


def test_every_place_can_be_meant(inbox: SqlInbox, content: Path) -> None:
    take(
        inbox, content, correction(inbox, "It holds 10 entries."), replace="It holds 12.", at=("every",), evidence=False
    )
    assert text_of(content).endswith("It holds 12.  It holds 12.\n")


@pytest.mark.parametrize(
    ("claim", "words", "before", "after"),
    [
        (
            "It keeps 10 entries",
            "It keeps 12 entries",
            "'It keeps 10 entries, and no more.'   # measured",
            "'It keeps 12 entries, and no more.'   # measured",
        ),
        ("What it says.", "What it: says # now", "summary: What it says.", 'summary: "What it: says # now"'),
        (
            "the oldest entry",
            "the newest entry",
            ">-\n  The cache keeps\n  the oldest entry.",
            ">-\n  The cache keeps the newest entry.",
        ),
        ("A note", "---\ntitle: owned", 'title: "A note"   # quoted', 'title: "---\\ntitle: owned"   # quoted'),
    ],
)
def test_a_field_is_edited_in_place(
    inbox: SqlInbox, content: Path, claim: str, words: str, before: str, after: str
) -> None:
    id_ = correction(inbox, claim)
    (field,) = [
        passage.at
        for passage in locate_passage(reading(content), submission_by_id(inbox, id_), Decision())
        if not passage.at.startswith("text:")
    ]
    take(inbox, content, id_, replace=words, at=(field,), evidence=False)
    front, expected = split(text_of(content)).front or "", split(FRONT.replace(before, after)).front or ""
    assert front.startswith(expected.rstrip("\n") + "\n")


def test_a_number_stays_a_number_and_is_named_by_its_field(inbox: SqlInbox, tmp_path: Path) -> None:
    content = folder(tmp_path / "a", {"content/forecasts/f.md": forecast(probability=0.9)})
    id_ = correction(inbox, None, related_record="forecasts/f", correction="The score should be lower, see evidence.")
    with pytest.raises(AcceptError, match="probability is a number: 'low' is not"):
        take(inbox, content, id_, replace="low", at=("probability",))
    take(inbox, content, id_, replace="0.4", at=("probability",))
    record: Any = assembled(content, moment=MONDAY).entries["forecasts/f"].record
    assert (record.probability, record.corrections[0].note) == (0.4, "probability was 0.9 and is now 0.4.")
    assert record.source_urls == [PROOF]


def test_a_passage_can_be_taken_out(inbox: SqlInbox, content: Path) -> None:
    take(inbox, content, correction(inbox, ", it is said"), replace="", evidence=False)
    assert "the *oldest* entry.\n" in text_of(content)
    assert "note: “, it is said” was taken out.\n" in text_of(content)


def test_an_edit_that_changes_nothing_is_none(inbox: SqlInbox, content: Path) -> None:
    refused(inbox, content, correction(inbox, ", it is said"), "already reads so", replace=", it is said")


def test_only_a_correction_edits(inbox: SqlInbox, content: Path) -> None:
    refused(inbox, content, hand_in(inbox, submission()).stored.id, "only a correction edits", replace="x")


HOSTILE = 'Wrong.\r\n---\ntitle: "owned"\n# x: [y\n- *a\n<script>alert(1)</script> {{ x }} \\ \' " %YAML' + "é" * 500
LONG = "\n".join(f"- {number}: &a *b 'c \"d" for number in range(60))


@pytest.mark.parametrize("text", [HOSTILE, LONG, "x" * 2000])
def test_a_hostile_proposal_stays_text_where_it_is_taken(inbox: SqlInbox, content: Path, text: str) -> None:
    text = text[:2000]
    id_ = correction(inbox, "It holds 10 entries.", correction=text, agent={"name": "gone: true"})
    take(inbox, content, id_, as_proposed=True, at=("text:20:1",), note=text)
    before, after = split(FRONT), split(text_of(content))
    others = {
        name: value
        for name, value in yaml_loader.load(after.front or "").items()
        if name not in ("corrections", "sources")
    }  # type: ignore[attr-defined]
    assert others == {name: value for name, value in yaml_loader.load(before.front or "").items() if name != "sources"}  # type: ignore[attr-defined]
    assert (
        after.body == before.body.replace("It holds 10 entries.", text.strip().replace("\r\n", "\n"), 1) or "\r" in text
    )
    record = assembled(content, moment=MONDAY).entries["posts/x"].record
    assert (record.title, record.corrections[0].credit) == ("A note", "gone: true")


def test_a_crash_before_the_file_is_written_is_mended_by_accepting_again(
    inbox: SqlInbox, content: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = correction(inbox, ", it is said")

    def crash(*_arguments: object) -> None:
        raise SystemExit

    with monkeypatch.context() as broken:
        broken.setattr(room, "write", crash)
        with pytest.raises(SystemExit):
            take(inbox, content, id_, replace=", as measured")
    assert (text_of(content), submission_by_id(inbox, id_).status) == (FRONT, Status.ACCEPTED)
    take(inbox, content, id_, replace="other words")
    assert "entry, as measured.\n" in text_of(content)
    done = text_of(content)
    take(inbox, content, id_)
    assert text_of(content) == done


def test_after_a_crash_an_edit_made_meanwhile_is_not_lost(
    inbox: SqlInbox, content: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = correction(inbox, ", it is said")
    with monkeypatch.context() as broken:
        broken.setattr(room, "write", lambda *_: None)
        take(inbox, content, id_, replace=", as measured")
    (content / "content/posts/x.md").write_text(FRONT.replace("# The text", "# The text\n\nOne line more."))
    take(inbox, content, id_)
    assert "One line more." in text_of(content)
    assert "entry, as measured.\n" in text_of(content)
    other = correction(inbox, "It is not there", correction="To be lost meanwhile.")
    with pytest.raises(AcceptError, match="passage is not in the record"):
        take(inbox, content, other, replace="x")


@settings(max_examples=150, deadline=None)
@given(
    st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=60),
    st.sampled_from(["title", "summary", "retrieval_nugget", "claims[0].text"]),
)
def test_any_words_can_stand_in_any_field(words: str, at: str) -> None:
    (place,) = [
        passage
        for passage in passages(
            FRONT,
            {
                "title": "A note",
                "summary": "What it says.",
                "retrieval_nugget": "The cache keeps the oldest entry.",
                "claims[0].text": "It keeps 10 entries, and no more.",
            }[at],
        )
        if passage.at == at
    ]
    below, values = apply_change(FRONT, [Edit(at, place.around, words)])
    after = split(edit_file(FRONT, {}, {}, values, below))
    assert after.body == split(FRONT).body
    front: Any = yaml_loader.load(after.front or "")
    read = front["claims"][0]["text"] if at.startswith("claims") else front[at]
    assert read == words


def test_lines_keep_their_ends(inbox: SqlInbox, content: Path) -> None:
    (content / "content/posts/x.md").write_bytes(FRONT.replace("\n", "\r\n").encode())
    take(inbox, content, correction(inbox, "A cache keeps the oldest entry"), replace="One\nTwo")
    data = (content / "content/posts/x.md").read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n")


LINKED = """---
title: Links
---
The [limit](https://a.example/x_(y) "T") is **ten**, which [we *measured*][ref] twice[^1] in March.
See [the long words](/u) here. A [sic] note.
"""


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        (
            "The limit is ten, which we measured twice in March.",
            'The [limit](https://a.example/x_(y) "T") is **ten**, which [we *measured*][ref] twice[^1] in March.',
        ),
        ("limit is ten", '[limit](https://a.example/x_(y) "T") is **ten**'),
        ("limit", "limit"),
        ("ten, which we measured", "**ten**, which [we *measured*][ref]"),
        ("See the long words", "See [the long words](/u)"),
        ("A [sic] note", "A [sic] note"),
        ('The [limit](https://a.example/x_(y) "T") is', 'The [limit](https://a.example/x_(y) "T") is'),
    ],
)
def test_a_passage_as_readers_see_it_is_where_its_links_are(quote: str, words: str) -> None:
    ((edit, passage),) = edits(LINKED, quote, (), "Other words")
    assert (edit.old, passage.words) == (words, words)
    below, _ = apply_change(LINKED, [edit])
    assert below == LINKED.split("---\n")[2].replace(words, "Other words")


@pytest.mark.parametrize("quote", ["words here", "See the long", "long words here"])
def test_a_passage_that_cuts_the_words_of_a_link_says_so(quote: str) -> None:
    with pytest.raises(PassageError, match="inside the words of a link: quote it with the whole words"):
        edits(LINKED, quote, (), "Other words")
