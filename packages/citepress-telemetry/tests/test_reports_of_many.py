"""A large archive renders what was fetched each hour, and the rest once a day; every report tells its own hour."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import pointer
from citepress.edition.overlay import open_overlaid, overlay_pointer
from support.folder import folder, post
from support.reports import CountedArchive, counted_archive_in
from support.rollups import END

FILES = {"site.toml": 'title = "Notes"\n', **{f"content/posts/{name}.md": post() for name in ("one", "two", "three")}}


@pytest.fixture
def counted_archive(tmp_path: Path) -> CountedArchive:
    return counted_archive_in(folder(tmp_path / "content", FILES), tmp_path / "state", 26)


def report(counted_archive: CountedArchive, page: str) -> Any:
    edition = open_overlaid(pointer(counted_archive.settings.state), overlay_pointer(counted_archive.settings.state))
    return orjson.loads(edition.body(f"/page-readership/{page}.json"))


def hours(counted_archive: CountedArchive) -> tuple[Any, Any]:
    """``as_of`` of a page that is fetched every hour, and of one that never is."""
    return report(counted_archive, "posts/one")["as_of"], report(counted_archive, "sources")["as_of"]


BEFORE, AFTER = "2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z"


def test_reports_of_pages_that_nobody_fetched_stay_and_tell_their_own_hour(counted_archive: CountedArchive) -> None:
    first = counted_archive.render(many=0)
    assert first is not None
    assert hours(counted_archive) == (BEFORE, BEFORE)
    counted_archive.count(range(END, END + 1))
    second = counted_archive.render(many=0)
    assert second is not None
    assert hours(counted_archive) == (AFTER, BEFORE)
    assert second.documents == first.documents


def test_a_small_archive_renders_everything_each_hour(counted_archive: CountedArchive) -> None:
    counted_archive.render()
    counted_archive.count(range(END, END + 1))
    counted_archive.render()
    assert hours(counted_archive) == (AFTER, AFTER)


def test_a_day_later_everything_is_rendered_again(counted_archive: CountedArchive) -> None:
    counted_archive.render(many=0)
    for later in range(24):
        counted_archive.count(range(END + later, END + later + 1))
    counted_archive.render(many=0)
    assert hours(counted_archive) == ("2026-11-22T05:00:00Z", "2026-11-22T05:00:00Z")


def test_another_edition_has_everything_rendered_again(counted_archive: CountedArchive) -> None:
    counted_archive.render(many=0)
    counted_archive.count(range(END, END + 1))
    (counted_archive.settings.root / "content/posts/new.md").write_text(post(title="New"))
    Builder(counted_archive.settings).build(clock.now())
    counted_archive.render(many=0)
    assert hours(counted_archive) == (AFTER, AFTER)
    assert report(counted_archive, "posts/new")["as_of"] == AFTER


def test_a_damaged_generation_has_everything_rendered_again(counted_archive: CountedArchive) -> None:
    counted_archive.render(many=0)
    for file in overlay_pointer(counted_archive.settings.state).parent.glob("*.pack"):
        file.write_bytes(b"damaged")
    counted_archive.count(range(END, END + 1))
    counted_archive.render(many=0)
    assert hours(counted_archive) == (AFTER, AFTER)
