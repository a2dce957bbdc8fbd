"""``citepress diff``: which addresses changed, as ``citepress ping`` tells it, and what is said where nobody knows."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from citepress.admin.build import Builder
from citepress.edition.edition import open_edition
from citepress.history.edition_journal import EditionJournal, JournaledEdition
from citepress.history.state_files import JOURNAL_FILE
from citepress.settings import Settings
from citepress_fleet.announcing import ChangeAnnouncer
from support.commands import citepress
from support.folder import SITE, folder, markdown, post

KEYED = f'{SITE}hub = "https://hub.test/"\nindexnow_key = "0f1e2d3c4b5a6978"\n'
RECORDS = {f"content/posts/p{number}.md": post(f"Text {number}.") for number in range(3)}
GONE = markdown({"title": "Gone", "gone": {"date": "2026-06-01", "reason": "It was wrong."}})
BEGIN = datetime(2026, 11, 1, 12, tzinfo=UTC)


class Archive:
    """A content folder that is published once an hour."""

    def __init__(self, place: Path) -> None:
        self.root, self.state = folder(place / "archive", RECORDS, KEYED), place / "state"
        self.output = self.state / "publish"
        self.hours = 0

    def edit(self, **texts: str | None) -> None:
        for slug, text in texts.items():
            file = self.root / f"content/posts/{slug}.md"
            file.unlink() if text is None else file.write_text(text)

    def publish(self) -> ChangeAnnouncer:
        """Build the next edition, and give whoever tells what changed in it."""
        builder = Builder(Settings(self.root, self.state), self.output, lasting=False)
        pointer = builder.build(BEGIN + timedelta(hours=self.hours)).pointer
        self.hours += 1
        return ChangeAnnouncer(self.output, open_edition(pointer), "http://127.0.0.1:9/", lambda _: None)

    def diff(self, *words: str) -> Any:
        run = citepress("diff", str(self.root), "--state", str(self.state), "--json", *words)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    def failure(self, *words: str) -> str:
        run = citepress("diff", str(self.root), "--state", str(self.state), *words)
        assert (run.returncode, run.stdout) == (1, "")
        return run.stderr


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path)


def by_path(difference: Any, *, announced: bool = False) -> dict[str, str]:
    rows = [row for row in difference["addresses"] if row["announced"] or not announced]
    return {urlsplit(row["url"]).path: row["change"] for row in rows}


def test_what_would_change_is_listed_without_changing_what_is_remembered(archive: Archive) -> None:
    archive.publish()
    assert archive.diff()["addresses"] == []
    archive.edit(p1=post("Another text."), p2=None, fresh=post("A fresh text."))
    before = {
        path: path.read_bytes() for path in archive.state.rglob("*") if path.is_file() and "diff" not in path.parts
    }
    changed = by_path(archive.diff())
    expected = {
        "/posts/p1/": "changed",
        "/posts/p1.md": "changed",
        "/posts/p2.json": "removed",
        "/posts/fresh/": "added",
    }
    assert expected.items() <= changed.items()
    assert not {path for path in changed if path.startswith("/about")}
    assert {path: path.read_bytes() for path in before} == before
    assert {**by_path(archive.diff())} == changed


def test_the_pages_are_those_that_indexnow_is_told_of(archive: Archive) -> None:
    first = archive.publish()
    for announcement in first.announcements():
        first._note(announcement)  # noqa: SLF001  (as if every service had answered)
    archive.edit(p1=post("Another text."), p2=GONE, fresh=post("A fresh text."))
    archive.publish()
    archive.edit(p0=None, p1=post("A third text."), fleeting=post("Here for an hour."))
    archive.publish()
    archive.edit(fleeting=None)
    second = archive.publish()
    announced = {path for each in second.announcements() if each.service == "indexnow" for path in each.digests}
    difference = archive.diff("--since", "2026-11-01T12:30:00Z")
    assert set(by_path(difference, announced=True)) == announced
    assert {"/posts/p0/", "/posts/p2/", "/posts/fresh/", "/"} <= announced
    assert "/posts/fleeting/" not in by_path(difference)
    assert by_path(difference)["/posts/p0/"] == "removed"
    later = by_path(archive.diff("--since", "2026-11-01T14:00:00+00:00"))
    assert later["/posts/fleeting/"] == "removed"
    assert "/posts/p1/" not in later


def test_a_change_that_was_taken_back_is_none(archive: Archive) -> None:
    archive.publish()
    archive.edit(fleeting=post("Here for an hour."))
    archive.publish()
    archive.edit(fleeting=None)
    archive.publish()
    assert not [path for path in by_path(archive.diff("--since", "2026-11-01T12:00:00")) if "fleeting" in path]


def test_editions_are_named_by_their_published_numbers(archive: Archive) -> None:
    store = archive.root.parent / "store"
    store.mkdir()
    words = ("publish", str(archive.root), f"file://{store}", "--state", str(archive.state))
    assert citepress(*words).returncode == 0
    archive.edit(p1=post("Another text."))
    assert citepress(*words).returncode == 0
    # A preview makes editions of its own, and those that were published are meant all the same.
    Builder(Settings(archive.root, archive.state), lasting=False).build(BEGIN)
    assert archive.diff()["addresses"] == []
    difference = archive.diff("--since", "1")
    assert by_path(difference)["/posts/p1/"] == "changed"
    assert difference["since"]["numbers"] == [1]
    assert "remembers no edition 7: it remembers 1 to 2" in archive.failure("--since", "7")


def test_what_is_not_remembered_is_an_error_that_says_what_is(archive: Archive) -> None:
    assert "remembers no edition" in archive.failure()
    archive.publish()
    archive.publish()
    assert "from 2026-11-01T12:00:00Z on" in archive.failure("--since", "2026-10-31")
    assert "lies in the future" in archive.failure("--since", "2999-01-01")
    assert "write a date" in archive.failure("--since", "yesterday")
    assert "write a date" in archive.failure("--since", "2026-02-30")
    assert "none was published from here" in archive.failure("--since", "3")
    run = citepress("diff", str(archive.root / "missing"))
    assert (run.returncode, "is not a folder" in run.stderr) == (2, True)


def test_people_read_pages_and_a_sentence(archive: Archive) -> None:
    archive.publish()
    archive.edit(p1=post("Another text."))
    words = ("diff", str(archive.root), "--state", str(archive.state))
    lines = citepress(*words).stdout.splitlines()
    assert "changed  https://archive.test/posts/p1/" in lines
    assert not [line for line in lines if line.endswith(".md")]
    assert lines[-1].startswith("Since the edition of 2026-11-01T12:00:00Z: 0 added,")
    assert "changed  https://archive.test/posts/p1.md" in citepress(*words, "--all").stdout.splitlines()


def test_an_invalid_folder_shows_its_faults(archive: Archive) -> None:
    archive.publish()
    archive.edit(p1="---\ntitle: [\n---\n")
    assert "p1.md" in archive.failure()


def test_the_memory_begins_anew_where_an_edition_is_missing_or_bytes_are_lost(archive: Archive) -> None:
    archive.publish()
    archive.edit(p1=post("Another text."))
    archive.publish()
    journal = EditionJournal(archive.output)
    assert len(journal.editions()) == 2
    journal.note(JournaledEdition(BEGIN + timedelta(hours=5), "f" * 32, "0" * 32, {}))
    assert [edition.digest for edition in journal.editions()] == ["f" * 32]
    assert "is not remembered" in archive.failure()
    file = archive.output / JOURNAL_FILE
    file.write_bytes(b"\xff" * 8 + file.read_bytes()[8:])
    assert "is damaged" in archive.failure()
    archive.edit(p1=post("A third text."))
    archive.publish()
    assert archive.diff()["addresses"] == []


def test_the_older_half_is_forgotten_where_the_memory_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citepress.history.edition_journal.MAX_JOURNAL_BYTES", 4_000)
    journal = EditionJournal(tmp_path)
    for number in range(100):
        former = f"{number - 1:032x}" if number else ""
        journal.note(JournaledEdition(BEGIN + timedelta(hours=number), f"{number:032x}", former, {"/a": "b"}))
        assert (tmp_path / JOURNAL_FILE).stat().st_size < 6_000
    editions = journal.editions()
    assert editions[-1].digest == f"{99:032x}"
    assert 10 < len(editions) < 60


def test_a_file_is_no_state_folder(archive: Archive, tmp_path: Path) -> None:
    file = tmp_path / "state.txt"
    file.write_text("")
    run = citepress("diff", str(archive.root), "--state", str(file))
    assert (run.returncode, run.stdout) == (2, "")
    assert "state.txt is not a folder; name the state folder" in run.stderr
