"""A record's slug: ``slug:`` where it is written, the file's name where it is not."""

import unicodedata
from pathlib import Path

import pytest

from citepress.base.slugs import slug_of_path
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


def test_a_name_has_one_address_however_its_letters_are_composed() -> None:
    assert slug_of_path(unicodedata.normalize("NFD", "ё が")) == slug_of_path("ё が")
