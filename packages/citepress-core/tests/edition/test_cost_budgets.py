"""What a build and an edit cost, in calls of functions, which repeat where times do not.

The budgets are ceilings: they go down, never up, unless docs/decisions/ names the feature that spends more.
"""

import cProfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.settings import Settings
from support.calls import calls_within
from support.folder import SITE, SPEC, folder, post
from support.git_folder import Commit, at, repository

pytestmark = pytest.mark.long

ROOMS = ("/citepress/history/", "/content/git_dates.py", "/edition/revisions/")
SIZES = (500, 2_000)
MAX_REVISION_CALLS = 600
"""Calls of an edit in the code of revisions, however many records there are."""
MAX_EDIT_CALLS = {500: 91_000, 2_000: 142_000}
"""Calls of an edit in all, by the number of records of the archive."""
MAX_ADDED_CALLS = {300: 176_000, 1_500: 376_000}
"""Calls of a new record, and of a deletion, by the number of records of 1 KB of the archive. The record is the last of
all, so that every part of a list that is counted from the oldest differs."""
MAX_NEWEST_CALLS = {300: 165_500, 1_500: 268_000}
"""The same where the record is the newest, as records mostly are."""
MAX_BUILD_CALLS = 5_872
"""Calls of a whole build for each further record of 1 KB."""
MOMENT = at(100)


def written(path: Path, records: int, *, committed: bool) -> Path:
    """An archive of so many notes; a third of them has two revisions where it is committed."""
    files = {f"content/posts/p{number}.md": post(f"Text {number}.") for number in range(records)} | {"site.toml": SITE}
    again = {f"content/posts/p{number}.md": post(f"Another text {number}.") for number in range(0, records, 3)}
    return repository(path, [Commit(at(0), files), Commit(at(1), again)]) if committed else folder(path, files, None)


def spent(builder: Builder, changes: Iterable[tuple[Path, str]]) -> tuple[list[int], list[int]]:
    """The calls that the build of each change takes in the code of revisions, and in all."""
    counts = []
    for file, text in changes:
        file.write_text(text, "utf-8")
        counts.append(calls_within(lambda file=file: builder.build(MOMENT, [file]), ROOMS))
    inside, total = zip(*counts, strict=True)
    return list(inside), list(total)


@pytest.mark.parametrize("committed", [True, False], ids=["from Git", "kept"])
def test_an_edit_keeps_its_budget_and_costs_revisions_the_same_however_many_records_there_are(
    tmp_path: Path, *, committed: bool
) -> None:
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
        counts[records], (_, edited, _) = spent(builder, edits)
        assert edited <= MAX_EDIT_CALLS[records]
    assert counts[SIZES[0]] == counts[SIZES[1]]
    assert max(counts[SIZES[0]]) <= MAX_REVISION_CALLS


@pytest.mark.parametrize("records", MAX_ADDED_CALLS)
def test_a_new_record_and_a_deletion_keep_their_budgets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: int
) -> None:
    monkeypatch.setattr("citepress.edition.publisher.usable_cores", lambda: 1)
    files = {f"content/posts/p{number}.md": cited(number, records) for number in range(records)}
    root = folder(tmp_path / "archive", files)
    builder = Builder(Settings(root, tmp_path / "state"))
    builder.build(MOMENT)
    posts = root / "content" / "posts"
    spent(builder, [(posts / "first.md", cited(records, records))])  # later additions take over what this one writes
    for name, ceilings in (("second.md", MAX_ADDED_CALLS), ("newest.md", MAX_NEWEST_CALLS)):
        file = posts / name  # records of one date lie in the order of their names
        _, (added,) = spent(builder, [(file, cited(records + 1, records))])
        file.unlink()
        deleted = calls_within(lambda file=file: builder.build(MOMENT, [file]), ROOMS)[1]
        assert max(added, deleted) <= ceilings[records]


def test_a_whole_build_keeps_its_budget_for_each_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citepress.edition.publisher.usable_cores", lambda: 1)  # calls of other processes are not seen
    few, many = (build_calls(tmp_path / str(records), records) for records in (100, 300))
    assert (many - few) / 200 <= MAX_BUILD_CALLS


def build_calls(path: Path, records: int) -> int:
    """The calls of a whole build, without those of imports, of so many records with sources, claims and links."""
    root = folder(
        path / "archive", {f"content/posts/p{number}.md": cited(number, records) for number in range(records)}
    )
    builders = [Builder(Settings(root, path / state)) for state in ("warm", "counted")]
    builders[0].build(MOMENT)
    profile = cProfile.Profile()
    profile.runcall(builders[1].build, MOMENT)
    return sum(entry.callcount for entry in profile.getstats())


def cited(number: int, records: int) -> str:
    """A record of 1 KB."""
    sources = [{**SPEC, "id": f"s{place}", "url": f"https://source{number % 40}.example/{place}"} for place in (1, 2)]
    claims = [{"text": f"Claim {number} {place}.", "source_refs": [f"s{place}"]} for place in (1, 2)]
    body = f"See [another note](/posts/p{(number * 7 + 1) % records}/).\n\n" + "A sentence of some words. " * 36
    return post(f"{body}\n\n## A part\n\n- one\n- two\n", sources=sources, claims=claims, tags=[f"t{number % 9}"])
