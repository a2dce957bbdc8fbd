"""Dates as authors write them: read the same in a plain folder and in an import; what nobody can read is undated."""

import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.settings import from_environment
from citepress_notes.written_dates import moment_of
from support.folder import assembled, checked, folder

FEEDS = ("/rss.xml", "/feed.json", "/changes.xml")


def noon(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T12:30:00+00:00")


def published(root: Path, files: dict[str, str]) -> Any:
    """The edition of a plain folder."""
    settings = from_environment(folder(root / "notes", files, site=None), environ={})
    return open_edition(Builder(settings).build(clock.now()).pointer)


@pytest.mark.parametrize(
    "written",
    [
        *("2024-02-03", "2024-2-3", "2024/02/03", "2024.02.03", "2024_02_03", "20240203", "03.02.2024", "3. 2. 2024"),
        *("Feb 3, 2024", "February 3rd, 2024", "Saturday, February 3, 2024", "3 February 2024", "3-Feb-2024"),
        *("2024年2月3日", "2024년 2월 3일"),
    ],
)
def test_a_day_is_read_however_it_is_written(tmp_path: Path, written: str) -> None:
    archive, faults = checked(folder(tmp_path, {"a.md": f"---\ndate: {written}\n---\nText.\n"}, site=None))
    assert archive is not None
    assert archive.entries["posts/a"].record.published_at == datetime(2024, 2, 3, tzinfo=UTC)
    assert faults == ()


@pytest.mark.parametrize(
    "written",
    [
        *("2024-02-03 12:30", "2024-02-03T12:30:00Z", "2024-02-03 12:30:00.5 UTC", "2024-02-03 12:30 PM"),
        *("2024-02-03 14:30 +0200", "2024-02-03T07:30:00-05:00 America/Lima", "Sat, 03 Feb 2024 13:30:00 +0100"),
        *("202402031230", "1706963400000", "February 3, 2024 at 12:30 pm"),
    ],
)
def test_a_time_is_read_however_it_is_written(written: str) -> None:
    moment = moment_of(written)
    assert moment is not None
    assert moment.replace(microsecond=0) == noon("2024-02-03")


@pytest.mark.parametrize(
    ("written", "expected"),
    [("13/02/2024", datetime(2024, 2, 13, tzinfo=UTC)), ("02/13/2024", datetime(2024, 2, 13, tzinfo=UTC))],
)
def test_a_day_that_no_month_can_be_tells_the_order(written: str, expected: datetime) -> None:
    assert moment_of(written) == expected


@pytest.mark.parametrize(
    "written",
    [
        *("03/04/2024", "2024-02-30", "spring 2024", "2024", "soon", "31.02.2024", "Maybe 3, 2024", "2024-02-03 25:00"),
        *("0001-01-01", "99999999", "9" * 5000, "9999-12-31T23:00:00-05:00", "", True, None, 1.5, ["2024-01-02"]),
    ],
)
def test_what_names_no_day_or_two_is_not_read(written: object) -> None:
    assert moment_of(written) is None


@pytest.mark.parametrize("name", ["20240203-x.md", "2024_02_03.md", "journals/2024_02_03.md", "202402031230 x.md"])
def test_a_day_in_a_name_is_read_in_every_notation(tmp_path: Path, name: str) -> None:
    archive, faults = checked(folder(tmp_path, {name: "Text.\n"}, site=None))
    assert archive is not None
    assert [entry.record.published_at for entry in archive.entries.values()] == [datetime(2024, 2, 3, tzinfo=UTC)]
    assert faults == ()


def test_a_date_that_nobody_can_read_leaves_a_note_undated_and_never_dates_it_today(tmp_path: Path) -> None:
    files = {
        "a.md": "---\ndate: 03/04/2024\n---\n# Alpha\n\nText.\n",
        "b.md": "---\ndate: 2020-01-01\n---\n# Beta\n\nB.\n",
    }
    _, faults = checked(folder(tmp_path / "checked", files, site=None))
    assert [(fault.code.id, fault.place.line) for fault in faults] == [("CP047", 0), ("CP045", 2)]
    assert all("YYYY-MM-DD" in fault.message + fault.hint for fault in faults)
    edition = published(tmp_path, files)
    record = json.loads(edition.body("/posts/a.json"))
    assert (record["published_at"], record["updated_at"]) == ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z")
    html = edition.body("/posts/a/").decode()
    assert "<time" not in html.partition('id="neighbours"')[0]
    assert "datePublished" not in html
    for path in ("/posts/a/", "/posts/a.md", "/posts/", "/", "/llms.txt", "/sitemap.md", *FEEDS):
        body = edition.body(path).decode()
        assert "1970" not in body, path
        assert not {str(clock.now().date()), "03/04/2024"} & set(body.split()), path
    assert [item["title"] for item in json.loads(edition.body("/posts.json"))["items"]] == ["Beta", "Alpha"]


def test_a_checkout_without_its_history_dates_nothing(tmp_path: Path) -> None:
    origin = folder(tmp_path / "origin", {"a.md": "# A\n\nText.\n"}, site=None)
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *command], cwd=origin, check=True)
    subprocess.run(["git", "commit", "-q", "--allow-empty", "-m", "y"], cwd=origin, check=True, env=AUTHOR)
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{origin}", str(tmp_path / "copy")], check=True)
    archive, faults = checked(tmp_path / "copy")
    assert archive is not None
    assert archive.entries["posts/a"].record.published_at == datetime(1970, 1, 1, tzinfo=UTC)
    assert [fault.message for fault in faults] == [
        "no date of first publication is known; it is listed last, as undated"
    ]


AUTHOR = {**os.environ, "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "A"} | {
    "GIT_COMMITTER_EMAIL": "a@b.c"
}


def test_the_day_of_a_note_is_the_one_where_its_author_was(tmp_path: Path) -> None:
    files = {"a.md": "---\ntitle: A\ndate: 2026-01-01T00:30:00+13:00\n---\nText.\n"}
    edition = published(tmp_path, files)
    record = json.loads(edition.body("/posts/a.json"))
    assert (record["published_at"], record["utc_offset"]) == ("2025-12-31T11:30:00Z", "+13:00")
    html = edition.body("/posts/a/").decode()
    assert '<time datetime="2026-01-01">1 January 2026</time>' in html
    assert "2025" not in html.replace("2025-12-31T11:30:00Z", "").replace("2025-12-31T12", "")
    assert "2026-01-01" in edition.body("/llms.txt").decode()
    # The citation is made of the JSON form, and names the same day.
    assert "(2026, January 1)" in html


def test_a_note_in_universal_time_has_no_offset(tmp_path: Path) -> None:
    edition = published(tmp_path, {"a.md": "---\ndate: 2026-01-01T00:30:00Z\n---\nText.\n"})
    assert "utc_offset" not in json.loads(edition.body("/posts/a.json"))


def test_two_moments_that_are_equal_keep_their_own_days(tmp_path: Path) -> None:
    files = {
        "east.md": "---\ndate: 2026-01-01T00:30:00+13:00\n---\nText.\n",
        "west.md": "---\ndate: 2025-12-31T11:30:00+00:00\n---\nText.\n",
    }
    edition = published(tmp_path, files)
    assert '<time datetime="2026-01-01">' in edition.body("/posts/east/").decode().partition('id="neighbours"')[0]
    assert '<time datetime="2025-12-31">' in edition.body("/posts/west/").decode().partition('id="neighbours"')[0]


def test_a_last_change_dates_a_note_whose_date_nobody_can_read(tmp_path: Path) -> None:
    root = folder(tmp_path, {"a.md": "---\ndate: soon\nupdated: Feb 3, 2024\n---\nText.\n"}, site=None)
    assert assembled(root).entries["posts/a"].record.published_at == datetime(2024, 2, 3, tzinfo=UTC)
