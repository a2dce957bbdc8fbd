"""A record's slug: ``slug:`` where it is written, the file's name where it is not."""

import unicodedata
from pathlib import Path

import pytest

from citepress.base.slugs import SLUG_LENGTH, slug_of_path
from support.folder import checked, fault_places, folder, post


@pytest.mark.parametrize("name", ["ünïcode-slug.md", "My Post.md", "2026-05-01 A note.md"])
def test_a_slug_that_is_written_overrides_any_name(tmp_path: Path, name: str) -> None:
    archive, faults = checked(folder(tmp_path, {f"content/posts/{name}": post(slug="written")}))
    assert archive is not None, fault_places(faults)
    assert list(archive.entries) == ["posts/written"]


def test_a_withdrawn_record_keeps_its_written_slug(tmp_path: Path) -> None:
    archive, faults = checked(folder(tmp_path, {"content/posts/Älter.md": "---\nslug: older\ngone: true\n---\n"}))
    assert archive is not None, fault_places(faults)
    assert [record.id for record in archive.withdrawn] == ["posts/older"]


@pytest.mark.parametrize(("name", "hint"), [("ünïcode-slug.md", "unicode-slug.md"), ("My Post.md", "my-post.md")])
def test_a_name_without_a_slug_is_told_with_the_nearest_one(tmp_path: Path, name: str, hint: str) -> None:
    _, faults = checked(folder(tmp_path, {f"content/posts/{name}": post()}))
    assert [(fault.code.id, fault.hint) for fault in faults] == [("CP003", f"rename it to {hint}")]


def test_a_written_slug_that_is_none_is_told(tmp_path: Path) -> None:
    _, faults = checked(folder(tmp_path, {"content/posts/My Post.md": post(slug="My Post")}))
    assert [fault.code.id for fault in faults] == ["CP014"]


def test_a_plain_note_takes_its_written_slug_and_is_found_by_its_name(tmp_path: Path) -> None:
    files = {
        "Deep/My note.md": "---\nslug: Better Name\ndate: 2026-01-02\n---\nText",
        "b.md": "---\ndate: 2026-01-02\n---\n[note](<Deep/My note.md>)",
    }
    archive, faults = checked(folder(tmp_path, files, site=None))
    assert archive is not None, faults
    assert archive.redirects["/posts/deep-my-note/"] == "/posts/better-name/"
    assert [edge.target for edge in archive.entries["posts/b"].edges] == ["posts/better-name"]


def test_letters_with_marks_stay_letters_and_the_former_slug_leads_on(tmp_path: Path) -> None:
    archive, _ = checked(folder(tmp_path, {"Größe & Ævi.md": "---\ndate: 2026-01-02\n---\nText"}, site=None))
    assert archive is not None
    assert list(archive.entries) == ["posts/grosse-aevi"]
    assert archive.redirects["/posts/gr-e-vi/"] == "/posts/grosse-aevi/"


def test_notes_whose_names_no_slug_can_hold_have_addresses_of_their_own(tmp_path: Path) -> None:
    names = ["ru/порт.md", "ru/паром.md", "Ru.md", "2022-01-02 港口.md", "2022-01-02 港.md", "港/a.md", "口/a.md"]
    names += [f"{'minutes of the committee ' * 5}{part}.md" for part in (1, 2)]
    files = {name: f"---\ndate: 2026-01-02\n---\n{name}" for name in names}
    links = " ".join(f"[x](<{name}>)" for name in names)
    root = folder(tmp_path, {**files, "b.md": f"---\ndate: 2026-01-02\n---\n{links}"}, site=None)
    archive, faults = checked(root)
    assert archive is not None
    assert faults == ()
    assert sorted(entry.record.body_markdown for id_, entry in archive.entries.items() if id_ != "posts/b") == sorted(
        names
    )
    assert {edge.target for edge in archive.entries["posts/b"].edges} == archive.entries.keys() - {"posts/b"}
    assert "posts/ru" in archive.entries
    assert max(map(len, archive.entries)) <= len("posts/") + SLUG_LENGTH


def test_a_name_has_one_address_however_its_letters_are_composed() -> None:
    assert slug_of_path(unicodedata.normalize("NFD", "ё が")) == slug_of_path("ё が")
