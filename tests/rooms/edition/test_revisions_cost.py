"""What revisions cost an edit: the same calls in an archive of 500 records and in one of 2,000."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.settings import Settings
from support.calls import calls_within
from support.folder import SITE, folder, post
from support.git_folder import Commit, at, repository

pytestmark = pytest.mark.long

ROOMS = (
    "/admin/histories.py",
    "/admin/git_revisions.py",
    "/admin/packed_revisions.py",
    "/archive/wording.py",
    "/content/git_dates.py",
    "/content/git_versions.py",
    "/content/kept_revisions.py",
    "/edition/revisions/",
    "/stores/local/append_log.py",
    "/stores/local/revision_pack.py",
)
SIZES, MOST = (500, 2_000), 600
"""Records of an archive, and the most calls that an edit of one may take in the code of revisions."""
MOMENT = at(100)


def written(path: Path, records: int, *, committed: bool) -> Path:
    """An archive of so many notes; a third of them has two revisions where it is committed."""
    files = {f"content/posts/p{number}.md": post(f"Text {number}.") for number in range(records)} | {"site.toml": SITE}
    again = {f"content/posts/p{number}.md": post(f"Another text {number}.") for number in range(0, records, 3)}
    return repository(path, [Commit(at(0), files), Commit(at(1), again)]) if committed else folder(path, files, None)


def spent(builder: Builder, changes: Iterable[tuple[Path, str]]) -> list[int]:
    """The calls that the build of each change takes."""
    counts = []
    for file, text in changes:
        file.write_text(text, "utf-8")
        counts.append(calls_within(lambda file=file: builder.build(MOMENT, [file]), ROOMS))
    return counts


@pytest.mark.parametrize("committed", [True, False], ids=["from Git", "kept"])
def test_an_edit_costs_as_many_calls_however_many_records_there_are(tmp_path: Path, *, committed: bool) -> None:
    counts = {}
    for records in SIZES:
        root = written(tmp_path / f"archive-{records}", records, committed=committed)
        builder = Builder(Settings(root, tmp_path / f"state-{records}"))
        builder.build(MOMENT)
        posts = root / "content" / "posts"
        edits = [
            (posts / "p7.md", post("Edited.")),
            (posts / "p7.md", post("Edited again.")),
            (posts / "new.md", post()),
        ]
        counts[records] = spent(builder, edits)
    assert counts[SIZES[0]] == counts[SIZES[1]]
    assert max(counts[SIZES[0]]) <= MOST
