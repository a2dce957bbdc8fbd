"""Decisions that are taken back, shown as patches, and committed with Git."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from citepress_inbox.accept import credit_published
from citepress_inbox.ports import Status
from citepress_inbox.review import submission_by_id
from citepress_inbox.sql_inbox import SqlInbox
from support.commands import citepress
from support.folder import assembled, folder, post
from support.shapes import committed, git
from support.stores import hand_in, later, numbered, submission

FILE = "content/posts/x.md"
IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Mo"), ("EMAIL", "mo@example.org"))
}
BODY = "One line.\n\nThe cache keeps the oldest entry.\n\nAnother line."


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return folder(tmp_path / "archive", {FILE: post(BODY), "content/posts/y.md": post()})


def inbox_command(content: Path, *words: str) -> subprocess.CompletedProcess[str]:
    state = str(content.parent / "state")
    return citepress("inbox", *words, "--by", "mo", "--state", state, "--content", str(content), **IDENTITY)


def correction(inbox: SqlInbox) -> str:
    new = submission("correction", related_record="posts/x", claim="oldest entry", correction="newest entry")
    return hand_in(inbox, new).stored.id


def test_an_acceptance_is_taken_back_to_the_byte_and_may_be_decided_anew(inbox: SqlInbox, content: Path) -> None:
    id_, before = correction(inbox), (content / FILE).read_bytes()
    assert inbox_command(content, "accept", id_[:8], "--as-proposed").returncode == 0
    assert (content / FILE).read_bytes() != before
    undone = inbox_command(content, "undo", id_[:8], "--note", "Too fast.")
    assert undone.returncode == 0, undone.stderr
    assert "-The cache keeps the newest entry." in undone.stdout
    assert ((content / FILE).read_bytes(), submission_by_id(inbox, id_).status) == (before, Status.IN_REVIEW)
    assert inbox_command(content, "undo", id_).stderr.count("there is no decision to undo") == 1
    assert inbox_command(content, "decline", id_).returncode == 0
    assert submission_by_id(inbox, id_).reason_code == "other"
    assert inbox_command(content, "undo", id_).returncode == 0
    assert submission_by_id(inbox, id_).reason_code is None


def test_front_matter_that_an_acceptance_added_goes_with_it(inbox: SqlInbox, tmp_path: Path) -> None:
    notes = folder(tmp_path / "notes", {"x.md": f"# X\n\n{BODY}\n"}, site=None)
    id_, before = correction(inbox), (notes / "x.md").read_bytes()
    shown = citepress("inbox", "show", id_[:8], "--state", str(tmp_path / "state"), "--content", str(notes))
    assert "  found at: text:5:21  “The cache keeps the oldest entry.”" in shown.stdout
    assert "  text:5:21  “The cache keeps the oldest entry.”" in inbox_command(notes, "accept", id_[:8]).stderr
    assert inbox_command(notes, "accept", id_[:8], "--as-proposed").returncode == 0
    assert (notes / "x.md").read_bytes().startswith(b"---\n")
    assert inbox_command(notes, "undo", id_[:8]).returncode == 0
    assert (notes / "x.md").read_bytes() == before


def test_what_was_written_since_stays_and_a_change_to_the_same_lines_is_not_guessed(
    inbox: SqlInbox, content: Path
) -> None:
    id_ = correction(inbox)
    inbox_command(content, "accept", id_, "--as-proposed")
    accepted = (content / FILE).read_text("utf-8")
    (content / FILE).write_text(accepted.replace("title: A note", "title: Another name"), "utf-8")
    assert inbox_command(content, "undo", id_).returncode == 0
    text = (content / FILE).read_text("utf-8")
    assert "title: Another name" in text
    assert "oldest entry" in text
    assert id_ not in text
    inbox_command(content, "accept", id_, "--as-proposed")
    (content / FILE).write_text((content / FILE).read_text("utf-8").replace("newest entry", "newest of all"), "utf-8")
    refused = inbox_command(content, "undo", id_)
    assert (refused.returncode, submission_by_id(inbox, id_).status) == (1, Status.ACCEPTED)
    assert "has changed since" in refused.stderr


def test_a_credit_that_was_published_and_a_change_that_was_reverted_by_hand_are_taken_back(
    inbox: SqlInbox, content: Path
) -> None:
    id_, before = correction(inbox), (content / FILE).read_bytes()
    inbox_command(content, "accept", id_, "--as-proposed")
    credit_published(inbox, assembled(content, moment=later(days=900)), later(days=1))
    assert submission_by_id(inbox, id_).status is Status.CREDITED
    (content / FILE).write_bytes(before)
    assert inbox_command(content, "undo", id_).stdout.endswith("The content is as it was.\n")
    stored = submission_by_id(inbox, id_)
    assert (stored.status, stored.credited_in) == (Status.IN_REVIEW, None)


def test_a_patch_writes_nothing_and_is_one_that_git_applies(inbox: SqlInbox, content: Path) -> None:
    (content / FILE).write_bytes((content / FILE).read_bytes().rstrip(b"\n"))
    committed(content, ("2026-11-01T00:00:00Z", lambda: None))
    id_, before = correction(inbox), (content / FILE).read_bytes()
    shown = inbox_command(content, "accept", id_, "--as-proposed", "--patch")
    assert ((content / FILE).read_bytes(), submission_by_id(inbox, id_).status) == (before, Status.QUEUED)
    subprocess.run(["git", "apply"], cwd=content, input=shown.stdout.encode(), check=True)
    assert b"newest entry" in (content / FILE).read_bytes()


def test_a_commit_holds_the_file_of_the_decision_alone(inbox: SqlInbox, content: Path) -> None:
    committed(content, ("2026-11-01T00:00:00Z", lambda: None))
    id_ = correction(inbox)
    (content / "content/posts/y.md").write_text(post("Half written."), "utf-8")
    git(content, "add", "content/posts/y.md")
    done = inbox_command(content, "accept", id_, "--as-proposed", "--commit")
    assert done.returncode == 0, done.stderr
    names, message = (
        git(content, *words) for words in (("show", "--name-only", "--format="), ("log", "-1", "--format=%B"))
    )
    assert names.split() == [FILE]
    assert f"Submission: {id_}" in message
    assert "Credit: Reader" in message
    assert "content/posts/y.md" in git(content, "diff", "--cached", "--name-only")
    assert inbox_command(content, "undo", id_, "--commit").returncode == 0
    assert git(content, "diff", "HEAD~2", "--stat", "--", FILE) == ""


def test_a_file_with_changes_of_its_own_is_not_committed(inbox: SqlInbox, content: Path) -> None:
    id_ = correction(inbox)
    assert "Git says" in inbox_command(content, "accept", id_, "--as-proposed", "--commit").stderr
    committed(content, ("2026-11-01T00:00:00Z", lambda: None))
    (content / FILE).write_text(post(f"{BODY}\n\nMore."), "utf-8")
    refused = inbox_command(content, "accept", id_, "--as-proposed", "--commit")
    assert (refused.returncode, submission_by_id(inbox, id_).status) == (1, Status.QUEUED)
    assert "changes that are not committed" in refused.stderr


@pytest.mark.parametrize(
    ("hook", "reason"), [("exit 3", "Git gave no reason (exit status 1)"), ("echo no >&2; exit 1", "Git says: no")]
)
def test_a_hook_that_refuses_a_commit_leaves_the_command_for_it(
    inbox: SqlInbox, content: Path, hook: str, reason: str
) -> None:
    committed(content, ("2026-11-01T00:00:00Z", lambda: None))
    script = content / ".git/hooks/pre-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text(f"#!/bin/sh\n{hook}\n")
    script.chmod(0o755)
    id_ = correction(inbox)
    refused = inbox_command(content, "accept", id_, "--as-proposed", "--commit", "--credit", "Ann O'Nym")
    assert refused.returncode == 1
    assert f"{FILE} is written, but not committed: {reason}" in refused.stderr
    command = next(line for line in refused.stderr.splitlines() if line.lstrip().startswith("git -C"))
    script.unlink()
    git(content, *shlex.split(command)[1:])
    subject, _, trailers = git(content, "log", "-1", "--format=%B").strip().partition("\n\n")
    assert subject == "Accept a correction for x"
    assert trailers.splitlines() == [f"Submission: {id_}", "Credit: Ann O'Nym"]
    assert git(content, "status", "--porcelain", "--", FILE) == ""


@pytest.mark.parametrize("credit", ["Ann\nSigned-off-by: Root", "Ann\rB", "Ann\x1b[31m", "Ann\u2028B"])
def test_a_credit_with_control_characters_is_refused(inbox: SqlInbox, content: Path, credit: str) -> None:
    id_, before = correction(inbox), (content / FILE).read_bytes()
    refused = inbox_command(content, "accept", id_, "--as-proposed", "--credit", credit)
    assert refused.returncode == 2
    assert "--credit takes one line of text" in refused.stderr
    assert ((content / FILE).read_bytes(), submission_by_id(inbox, id_).status) == (before, Status.QUEUED)


def test_several_are_accepted_and_what_is_not_possible_does_not_hold_the_others_up(
    inbox: SqlInbox, content: Path
) -> None:
    ids = [hand_in(inbox, numbered(number), at=later(minutes=number)).stored.id for number in (1, 2)]
    bad = correction(inbox)
    done = inbox_command(content, "accept", ids[0], bad, ids[1], "--json")
    assert done.returncode == 1
    assert "accepted with an edit" in done.stderr
    assert [document["id"] for document in json.loads(done.stdout)] == ids
    assert inbox_command(content, "note", *ids, "Looks fine.").returncode == 0
    others = [hand_in(inbox, numbered(number)).stored.id for number in (3, 4)]
    assert inbox_command(content, "duplicate", *others, ids[0]).returncode == 0
    assert [submission_by_id(inbox, id_).duplicate_of for id_ in others] == [ids[0], ids[0]]
    assert "decide on one submission" in inbox_command(content, "accept", *ids, "--replace", "x").stderr


def test_the_digest_as_markdown_renders_nothing_that_an_agent_wrote(inbox: SqlInbox, content: Path) -> None:
    new = submission("correction", related_record="posts/x", claim="oldest entry", correction="a `code` <b>*x*</b>")
    id_ = hand_in(inbox, new).stored.id
    text = inbox_command(content, "digest", "--format", "markdown").stdout
    assert "## `posts/x`" in text
    assert f"- `{id_}` correction" in text
    assert "`` correction: a `code` <b>*x*</b> ``" in text


def test_a_note_on_a_long_passage_repeats_only_what_changed(inbox: SqlInbox, content: Path) -> None:
    words = [f"word{number}" for number in range(80)]
    (content / FILE).write_text(post(" ".join(words)), "utf-8")
    new = submission(
        "correction", related_record="posts/x", claim=" ".join(words[:60]), correction="It reads otherwise."
    )
    id_ = hand_in(inbox, new).stored.id
    inbox_command(
        content, "accept", id_, "--replace", " ".join(["changed" if w == "word30" else w for w in words[:60]])
    )
    text = " ".join((content / FILE).read_text("utf-8").split())
    assert "“… word27 word28 word29 word30 word31 word32 word33 …” now reads" in text
