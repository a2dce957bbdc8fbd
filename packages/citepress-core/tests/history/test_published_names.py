"""A version of a dataset that was published under a public address keeps its rows."""

import json
import logging
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.contract.fault import FROZEN, Faults
from citepress.settings import Settings
from support.folder import SITE, folder, markdown

MOMENT = datetime(2026, 11, 21, tzinfo=UTC)
FOLDER = "datasets/weights"
README = markdown({"title": "Weights", "summary": "Of otters.", "date": "2026-05-01"})
SCHEMA = json.dumps({"type": "object", "properties": {"name": {"type": "string"}, "kg": {"type": "number"}}})
FILES = {f"{FOLDER}/README.md": README, f"{FOLDER}/schema.json": SCHEMA, f"{FOLDER}/v1.csv": "name,kg\nAda,7.5\n"}
CHANGED = "name,kg\nAda,8.5\n"


def builder(root: Path, *, drafts: bool = False) -> Builder:
    return Builder(Settings(root, root.parent / "state", drafts=drafts))


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """An archive whose dataset was published once."""
    root = folder(tmp_path / "archive", FILES)
    builder(root).build(MOMENT)
    return root


def frozen(root: Path) -> list[tuple[str, str, str]]:
    """File, message and hint of each fault of a frozen part."""
    archive, faults = builder(root).check(MOMENT)
    broken = [(fault.place.file, fault.message, fault.hint) for fault in faults if fault.code is FROZEN]
    assert (archive is None) == bool(broken), "an error stops the build"
    return broken


def test_other_rows_under_the_name_of_a_published_version_stop_the_build(published: Path) -> None:
    assert frozen(published) == []
    folder(published, {f"{FOLDER}/v1.csv": CHANGED})
    hint = "put the published rows back, and publish the change as v2.csv"
    assert frozen(published) == [(f"{FOLDER}/v1.csv", "v1 was published with other rows", hint)]
    with pytest.raises(Faults):
        builder(published).build(MOMENT)
    folder(published, FILES | {f"{FOLDER}/v2.csv": CHANGED})
    builder(published).build(MOMENT)
    folder(published, {f"{FOLDER}/v2.csv": FILES[f"{FOLDER}/v1.csv"]})
    assert [(file, hint.rpartition(" ")[2]) for file, _, hint in frozen(published)] == [(f"{FOLDER}/v2.csv", "v3.csv")]


def test_a_running_server_keeps_the_former_edition(published: Path) -> None:
    serving = builder(published)
    before = serving.build(MOMENT)
    file = published / f"{FOLDER}/v1.csv"
    file.write_text(CHANGED)
    with pytest.raises(Faults) as refused:
        serving.build(MOMENT, {file})
    assert [fault.code for fault in refused.value.faults] == [FROZEN]
    assert serving.digest() in before.pointer.read_text()


@pytest.mark.parametrize("rows", ['"name","kg"\r\n"Ada","7.5"\r\n', "name,kg\nAda,7.5"])
def test_a_file_that_only_writes_its_rows_otherwise_is_the_same(published: Path, rows: str) -> None:
    folder(published, {f"{FOLDER}/v1.csv": rows})
    assert frozen(published) == []


def test_a_version_that_was_withdrawn_is_no_fault_until_it_returns_with_other_rows(published: Path) -> None:
    folder(published, {f"{FOLDER}/v2.csv": CHANGED})
    (published / f"{FOLDER}/v1.csv").unlink()
    builder(published).build(MOMENT)
    folder(published, {f"{FOLDER}/v1.csv": CHANGED})
    assert [hint.rpartition(" ")[2] for _, _, hint in frozen(published)] == ["v3.csv"]


@pytest.mark.parametrize("drafts", [False, True])
def test_what_was_only_tried_out_may_change(tmp_path: Path, *, drafts: bool) -> None:
    root = folder(tmp_path / "archive", FILES, SITE if drafts else 'title = "Test archive"\n')
    builder(root, drafts=drafts).build(MOMENT)
    folder(root, {f"{FOLDER}/v1.csv": CHANGED}, None)
    assert frozen(root) == []


def test_a_check_alone_publishes_nothing(tmp_path: Path) -> None:
    root = folder(tmp_path / "archive", FILES)
    assert frozen(root) == []
    folder(root, {f"{FOLDER}/v1.csv": CHANGED})
    assert frozen(root) == []


def test_a_damaged_log_is_told_and_builds_go_on(published: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = published.parent / "state/revisions/published.log"
    log.write_bytes(log.read_bytes()[:-3])
    with caplog.at_level(logging.WARNING):
        assert frozen(published) == []
    assert "the content is not compared with what was published" in caplog.text
