"""What keeps the edition current: no error of a build ends it, and each is told once, in a sentence."""

import logging
import re
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from citepress.admin import build
from citepress.admin.build import BuildResult
from citepress.cli import console
from citepress.cli.publisher import TRACEBACK, Publisher
from citepress.edition import site_edition
from citepress.edition.edition import open_edition, pointer
from citepress.search import state as search_state
from citepress.settings import Settings
from citepress.stores.sql.migrate import open_store
from support.folder import folder, post
from support.waiting import PATIENCE_S, until


class Panic(BaseException):
    """As a native library raises it: no Exception."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(folder(tmp_path / "site", {"content/posts/one.md": post()}), tmp_path / "state")


def stands(settings: Settings, path: str) -> bool:
    return open_edition(pointer(settings.state)).find(path) is not None


@pytest.mark.parametrize(
    "error", [KeyError("/old"), RecursionError("too deep"), MemoryError(), OSError(28, "No space left"), Panic("index")]
)
def test_an_unexpected_error_is_told_and_the_next_build_publishes(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException
) -> None:
    publisher = Publisher(settings, open_store(settings.state), watching=True)
    assert publisher.first()
    broken = threading.Event()
    broken.set()

    def failing(work: Callable[..., Any], *args: Any) -> Any:
        if broken.is_set():
            raise error
        return work(*args)

    for name in ("changed_units", "render_units"):
        monkeypatch.setattr(site_edition, name, partial(failing, getattr(site_edition, name)))
    publisher.follow()
    try:
        time.sleep(0.5)
        folder(settings.root, {"content/posts/two.md": post()}, site=None)
        written = ""

        def message_printed() -> bool:
            nonlocal written
            written += capsys.readouterr().err
            return "The last good edition stays." in written

        assert until(message_printed)
        time.sleep(2.5)  # it is tried again meanwhile, and says no more
        written += capsys.readouterr().err
        assert written.count("citepress: ") == 1
        assert "Traceback" not in written
        assert stands(settings, "/posts/one/")
        broken.clear()
        assert until(lambda: stands(settings, "/posts/two/"))
    finally:
        publisher.stop(PATIENCE_S)
    trace = settings.state / TRACEBACK
    assert trace.is_file() is not isinstance(error, OSError | MemoryError)
    if isinstance(error, MemoryError):
        assert "citepress: the edition cannot be made: not enough memory: free some" in written
    if trace.is_file():
        assert type(error).__name__ in trace.read_text()


def test_a_later_start_serves_what_stands_and_then_publishes_what_changed_meanwhile(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    Publisher(settings, open_store(settings.state), watching=True).first()
    folder(settings.root, {"content/posts/two.md": post()}, site=None)
    read: list[object] = []
    read_content = build.read_content

    def counted(*args: Any) -> Any:
        read.append(args)
        return read_content(*args)

    monkeypatch.setattr(build, "read_content", counted)
    publisher = Publisher(settings, open_store(settings.state), watching=True)
    first = publisher.first()
    assert first == BuildResult(None, pointer(settings.state))
    assert not read
    publisher.follow()
    try:
        assert until(lambda: stands(settings, "/posts/two/"))
        index = settings.state / search_state.INDEX_FOLDER
        assert until(lambda: search_state.open_index(index).stats.records == 2)
    finally:
        publisher.stop(PATIENCE_S)


def test_a_server_that_follows_no_file_lets_go_of_what_its_edition_was_made_from(settings: Settings) -> None:
    first = Publisher(settings, open_store(settings.state), watching=False).first()
    assert first
    assert first.printed
    assert first.archive is None
    assert first.edit is None


def test_a_start_without_an_index_makes_it_before_the_first_answer(settings: Settings) -> None:
    Publisher(settings, open_store(settings.state), watching=True).first()
    shutil.rmtree(settings.state / search_state.INDEX_FOLDER)
    assert Publisher(settings, open_store(settings.state), watching=True).first()
    assert search_state.open_index(settings.state / search_state.INDEX_FOLDER).stats.records == 1


def test_an_unexpected_error_at_the_start_begins_with_the_last_edition(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = Publisher(settings, open_store(settings.state), watching=True).first()
    assert isinstance(first, BuildResult)

    def failing(*_: Any) -> Any:
        raise KeyError("/old")

    monkeypatch.setattr(site_edition, "render_units", failing)
    moved = replace(settings, base_url="https://elsewhere.example")  # so that it cannot stand as it is
    assert Publisher(moved, open_store(moved.state), watching=True).first() == BuildResult(None, first.pointer)
    assert "an unexpected error, KeyError: '/old'. Its traceback is in " in capsys.readouterr().err


@pytest.mark.parametrize("watching", [True, False])
def test_a_start_whose_revisions_cannot_be_read_begins_with_the_last_edition(
    settings: Settings, capsys: pytest.CaptureFixture[str], *, watching: bool
) -> None:
    first = Publisher(settings, open_store(settings.state), watching=True).first()
    assert isinstance(first, BuildResult)
    log = settings.state / "revisions/revisions.log"
    log.write_bytes(log.read_bytes()[:-7])
    folder(settings.root, {"content/posts/one.md": post("Other words.")}, site=None)
    shutil.rmtree(settings.state / search_state.INDEX_FOLDER)  # so that a watch does not begin with what stands
    last = Publisher(settings, open_store(settings.state), watching=watching).first()
    assert last == BuildResult(None, first.pointer)
    written = capsys.readouterr().err
    assert "revisions.log ends at byte" in written
    assert "Serving the last good edition until this is fixed." in written


def test_a_refused_edit_is_a_warning_in_the_log(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    publisher = Publisher(settings, open_store(settings.state), watching=True)
    assert publisher.first()
    monkeypatch.setattr(console, "_log", logging.getLogger("citepress"))
    faulty = {"content/posts/one.md": "---\ntitle: 7\n---\n", "content/posts/raw.md": post("<blink>x</blink>")}
    folder(settings.root, faulty, site=None)
    publisher.reload()
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert warnings[0].startswith("content/posts/one.md")
    assert "CP040" not in warnings[0], "warnings are counted: errors would scroll away"
    assert re.search(r"`citepress check` shows the warnings too\.\n\d errors? and \d warnings?$", warnings[0])
    assert warnings[-1] == "The last good edition stays."


def test_a_file_that_a_plain_folder_sets_aside_is_named_when_it_is_and_not_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = {f"a{number}.md": "---\ndate: 2026-01-02\ntitle: [x\n---\n" for number in range(9)}
    root = folder(tmp_path / "site", {**old, "z.md": "---\ndate: 2026-01-02\n---\nText"}, site=None)
    settings = Settings(root, tmp_path / "state")
    publisher = Publisher(settings, open_store(settings.state), watching=True)
    assert publisher.first()
    first = capsys.readouterr().err
    assert [text for text in first.splitlines() if text.startswith("a")] == first.splitlines()[:5]
    assert first.startswith("a0.md:3:8: the [ that opens here is not closed; ")
    large = {"large.md": "x" * 2_500_000}
    folder(root, {"z.md": "---\ndate: 2026-01-02\nlastmod: never\n---\nText", **large}, site=None)
    publisher.reload()
    assert capsys.readouterr().err.splitlines()[:3] == [
        "large.md: has 2,500,000 bytes; at most 2,359,296 are allowed; the file is set aside (CP002)",
        "z.md:3:10: lastmod: 'never' is not a date (write YYYY-MM-DD); it is set aside (CP014)",
        "11 warnings; `citepress check` shows them.",
    ]
