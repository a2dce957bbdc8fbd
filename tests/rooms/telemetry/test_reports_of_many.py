"""A large archive renders what was fetched each hour, and the rest once a day; every report tells its own hour."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from citepress.app import Builder
from citepress.app.reports import open_edition_with_reports
from citepress.base import clock
from citepress.edition.edition import pointer
from citepress.edition.overlay import overlay_pointer
from support.folder import folder, post
from support.reports import Counted, counted
from support.rollups import END

FILES = {"site.toml": 'title = "Notes"\n', **{f"content/posts/{name}.md": post() for name in ("one", "two", "three")}}


@pytest.fixture
def made(tmp_path: Path) -> Counted:
    return counted(folder(tmp_path / "content", FILES), tmp_path / "state", 26)


def report(made: Counted, page: str) -> Any:
    edition = open_edition_with_reports(overlay_pointer(made.settings.state), pointer(made.settings.state))
    return orjson.loads(edition.bodies(f"/page-readership/{page}.json")["identity"])


def hours(made: Counted) -> tuple[Any, Any]:
    """``as_of`` of a page that is fetched every hour, and of one that never is."""
    return report(made, "posts/one")["as_of"], report(made, "sources")["as_of"]


BEFORE, AFTER = "2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z"


def test_reports_of_pages_that_nobody_fetched_stay_and_tell_their_own_hour(made: Counted) -> None:
    first = made.render(many=0)
    assert first is not None
    assert hours(made) == (BEFORE, BEFORE)
    made.count(range(END, END + 1))
    second = made.render(many=0)
    assert second is not None
    assert hours(made) == (AFTER, BEFORE)
    assert second.documents == first.documents


def test_a_small_archive_renders_everything_each_hour(made: Counted) -> None:
    made.render()
    made.count(range(END, END + 1))
    made.render()
    assert hours(made) == (AFTER, AFTER)


def test_a_day_later_everything_is_rendered_again(made: Counted) -> None:
    made.render(many=0)
    for later in range(24):
        made.count(range(END + later, END + later + 1))
    made.render(many=0)
    assert hours(made) == ("2026-11-22T05:00:00Z", "2026-11-22T05:00:00Z")


def test_another_edition_has_everything_rendered_again(made: Counted) -> None:
    made.render(many=0)
    made.count(range(END, END + 1))
    (made.settings.root / "content/posts/new.md").write_text(post(title="New"))
    Builder(made.settings).build(clock.now())
    made.render(many=0)
    assert hours(made) == (AFTER, AFTER)
    assert report(made, "posts/new")["as_of"] == AFTER


def test_a_damaged_generation_has_everything_rendered_again(made: Counted) -> None:
    made.render(many=0)
    for file in overlay_pointer(made.settings.state).parent.glob("*.pack"):
        file.write_bytes(b"damaged")
    made.count(range(END, END + 1))
    made.render(many=0)
    assert hours(made) == (AFTER, AFTER)
