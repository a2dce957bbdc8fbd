"""An edition that grew by edits equals one that is built at once from the same content."""

import random
from collections.abc import Collection
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.contract.fault import Faults
from citepress.edition.edition import open_edition
from citepress.settings import Settings
from support.compared_editions import MOMENT, assert_same, with_history
from support.random_edits import Author

pytestmark = pytest.mark.long

EDITS, COMPARISONS = 500, 10


def built(builder: Builder, changed: Collection[Path] = ()) -> Path | None:
    """The pointer of the edition of a builder's folder; nothing where its content has faults."""
    try:
        return builder.build(MOMENT, changed).pointer
    except Faults:
        return None


def stamps(root: Path) -> dict[Path, tuple[int, int]]:
    """When each file of a folder was written, and its size."""
    files = (file for file in root.rglob("*") if file.is_file())
    return {file: (file.stat().st_mtime_ns, file.stat().st_size) for file in files}


@pytest.mark.parametrize("seed", [1, 2])
def test_an_edition_of_many_edits_and_restarts_equals_a_fresh_one(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311  (text, not secrets)
    root, state = tmp_path / "archive", tmp_path / "state"
    author = Author(root, seed)
    builder = Builder(Settings(root, state))
    before, compared = stamps(root), 0
    for number in range(EDITS // 2):
        author.edit()
        if dice.random() < 0.04:
            builder = Builder(Settings(root, state))
        if dice.random() < 0.3:
            continue  # two edits that one build publishes
        now = stamps(root)
        pointer = built(builder, [file for file, _ in now.items() ^ before.items()])
        before = now
        if pointer and (number + 1) // (EDITS // COMPARISONS) > compared // 2:
            fresh = built(Builder(Settings(root, with_history(tmp_path / "state", tmp_path / f"fresh-{number}"))))
            assert fresh
            assert_same(open_edition(pointer), open_edition(fresh))
            compared += 2
    assert compared
