"""``citepress inbox review``: everything that waits, decided in one sitting."""

import subprocess
from pathlib import Path

import pytest

from citepress_inbox.ports import Status
from citepress_inbox.review import submission_by_id
from citepress_inbox.sql_inbox import SqlInbox
from support.commands import citepress
from support.folder import folder, post
from support.stores import hand_in, later, numbered, submission

BODY = "The cache keeps the oldest entry."


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return folder(tmp_path / "archive", {"content/posts/x.md": post(BODY)})


def sitting(tmp_path: Path, answers: str, **environment: str) -> subprocess.CompletedProcess[str]:
    words = ("inbox", "review", "--by", "mo", "--state", str(tmp_path / "state"))
    place = ("--content", str(tmp_path / "archive"))
    return citepress(*words, *place, standard_input=answers.encode(), **environment)


def correction(inbox: SqlInbox, words: str, minutes: int) -> str:
    new = submission("correction", related_record="posts/x", claim="oldest entry", correction=words)
    return hand_in(inbox, new, at=later(minutes=minutes)).stored.id


def test_each_submission_is_shown_with_the_present_passage_and_decided_by_a_letter(
    inbox: SqlInbox, content: Path, tmp_path: Path
) -> None:
    first = correction(inbox, "newest entry", 0)
    second = hand_in(inbox, numbered(1), at=later(minutes=1)).stored.id
    third = hand_in(inbox, numbered(2), at=later(minutes=2)).stored.id
    done = sitting(tmp_path, "what\ny\nn\nnonsense\nn\nspam\ns\n")
    assert (done.returncode, [submission_by_id(inbox, id_).status for id_ in (first, second, third)]) == (
        0,
        [Status.ACCEPTED, Status.DECLINED, Status.QUEUED],
    ), done.stderr
    assert f"now:      {BODY}" in done.stdout
    assert "proposed: newest entry" in done.stdout
    assert "'nonsense' is not a reason" in done.stderr
    assert done.stdout.endswith("1 accepted, 1 declined and 1 skipped; 1 submission left.\n")
    assert "The cache keeps the newest entry." in (content / "content/posts/x.md").read_text("utf-8")


def test_the_editor_changes_the_passage(inbox: SqlInbox, content: Path, tmp_path: Path) -> None:
    id_ = correction(inbox, "newest entry", 0)
    script = tmp_path / "editor.sh"
    script.write_text('#!/bin/sh\nprintf "The cache keeps them all.\\n" > "$1"\n')
    script.chmod(0o700)
    done = sitting(tmp_path, "e\n", EDITOR=str(script), VISUAL="")
    assert submission_by_id(inbox, id_).status is Status.ACCEPTED, done.stderr
    assert "The cache keeps them all." in (content / "content/posts/x.md").read_text("utf-8")


def test_an_editor_that_leaves_nothing_changes_nothing(inbox: SqlInbox, content: Path, tmp_path: Path) -> None:
    id_, before = correction(inbox, "newest entry", 0), (content / "content/posts/x.md").read_bytes()
    done = sitting(tmp_path, "e\nq\n", EDITOR="truncate -s 0", VISUAL="")
    assert "the file is empty" in done.stderr
    assert done.stdout.endswith("Nothing was decided; 1 submission left.\n")
    assert submission_by_id(inbox, id_).status is not Status.ACCEPTED
    assert (content / "content/posts/x.md").read_bytes() == before


@pytest.mark.usefixtures("content")
@pytest.mark.parametrize("answers", ["", "q\n", "y\n"])
def test_a_sitting_ends_with_its_answers_and_says_what_is_not_possible(
    inbox: SqlInbox, tmp_path: Path, answers: str
) -> None:
    new = submission("correction", related_record="posts/none")
    id_ = hand_in(inbox, new).stored.id
    done = sitting(tmp_path, answers)
    assert (done.returncode, submission_by_id(inbox, id_).status) == (0, Status.QUEUED)
    assert ("is not a published record" in done.stderr) is (answers == "y\n")


@pytest.mark.usefixtures("inbox", "content")
def test_nothing_waits(tmp_path: Path) -> None:
    assert sitting(tmp_path, "").stdout == "Nothing waits.\n"


def test_letters_are_explained_and_cover_what_the_command_has_options_for(
    inbox: SqlInbox, content: Path, tmp_path: Path
) -> None:
    (content / "content/posts/x.md").write_text(post(f"{BODY}\n\nAlso the oldest entry."), "utf-8")
    first, second = correction(inbox, "newest entry", 0), correction(inbox, "other entry", 1)
    done = sitting(tmp_path, "?\np\n2\ny\n9\ny\n1\no\n\no\nIt is disputed.\n")
    assert [submission_by_id(inbox, id_).status for id_ in (first, second)] == [Status.ACCEPTED] * 2, done.stderr
    text = (content / "content/posts/x.md").read_text("utf-8")
    assert "The cache keeps the newest entry." in text
    assert "Also the oldest entry." in text
    assert "note: It is disputed." in text
    assert "  o  Leaves the text" in done.stdout
    assert "+Also the newest entry." in done.stdout
    assert "a note must explain to readers" in done.stderr
    assert "--" not in done.stderr


def test_a_record_that_no_submission_names_is_asked_for(inbox: SqlInbox, content: Path, tmp_path: Path) -> None:
    hand_in(inbox, submission(related_record=None))
    done = sitting(tmp_path, "y\nposts/x\n")
    assert "The record to change" in done.stdout
    assert "https://source.example/one" in (content / "content/posts/x.md").read_text("utf-8"), done.stderr


@pytest.mark.usefixtures("content")
def test_a_passage_that_the_record_does_not_hold_is_said_before_anything_is_asked(
    inbox: SqlInbox, tmp_path: Path
) -> None:
    hand_in(inbox, submission("correction", related_record="posts/x", claim="middle entry", correction="newest entry"))
    shown, _, _ = sitting(tmp_path, "q\n").stdout.partition("[y] accept")
    assert "The passage that it quotes is not in the record as it is now" in shown


def test_a_quote_that_no_longer_fits_its_corrected_claim_is_named(inbox: SqlInbox, tmp_path: Path) -> None:
    source = {"id": "spec", "url": "https://a.example/spec"}
    claims = [
        {"text": "It keeps the oldest entry.", "source_refs": ["spec"], "quote": "The first in is kept."},
        {"text": "It has a limit.", "source_refs": ["spec"], "quote": "At most ten, the oldest entry first."},
        {"text": "It is fast.", "source_refs": ["spec"], "quote": "Within a millisecond."},
    ]
    folder(tmp_path / "archive", {"content/posts/x.md": post("Text.", sources=[source], claims=claims)})
    correction(inbox, "newest entry", 0)
    done = sitting(tmp_path, "y\n1\n")
    assert "1 accepted" in done.stdout, done.stdout + done.stderr
    assert "check claims[0].quote: it still says \u201cThe first in is kept.\u201d" in done.stderr
    assert "check claims[1].quote: it still says" in done.stderr
    assert "claims[2]" not in done.stderr
