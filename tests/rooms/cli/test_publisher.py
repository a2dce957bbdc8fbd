"""What keeps the edition current: no error of a build ends it, and each is told once, in a sentence."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citepress.app import BuildResult, build, opened_stores
from citepress.cli.publisher import TRACEBACK, Publisher
from citepress.edition.edition import open_edition, pointer
from citepress.settings import Settings
from support.folder import folder, post


class Panic(BaseException):
    """As a native library raises it: no Exception."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(folder(tmp_path / "site", {"content/posts/one.md": post()}), tmp_path / "state")


def until(true: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not true():
        time.sleep(0.05)
    return true()


def stands(settings: Settings, path: str) -> bool:
    return open_edition(pointer(settings.state)).find(path) is not None


@pytest.mark.parametrize(
    "error", [KeyError("/old"), RecursionError("too deep"), MemoryError(), OSError(28, "No space left"), Panic("index")]
)
def test_an_unexpected_error_is_told_and_the_next_build_publishes(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException
) -> None:
    publisher = Publisher(settings, opened_stores(settings), watching=True)
    assert publisher.first()
    compiled = build.render_units
    broken = threading.Event()
    broken.set()

    def failing(*given: Any) -> Any:
        if broken.is_set():
            raise error
        return compiled(*given)

    monkeypatch.setattr(build, "render_units", failing)
    publisher.follow()
    try:
        time.sleep(0.5)
        folder(settings.root, {"content/posts/two.md": post()}, site=None)
        written = ""

        def told() -> bool:
            nonlocal written
            written += capsys.readouterr().err
            return "The last good edition stays." in written

        assert until(told)
        time.sleep(2.5)  # it is tried again meanwhile, and says no more
        written += capsys.readouterr().err
        assert written.count("citepress: ") == 1
        assert "Traceback" not in written
        assert stands(settings, "/posts/one/")
        broken.clear()
        assert until(lambda: stands(settings, "/posts/two/"))
    finally:
        publisher.stop(20)
    kept = settings.state / TRACEBACK
    assert kept.is_file() is not isinstance(error, OSError)
    if kept.is_file():
        assert type(error).__name__ in kept.read_text()


def test_an_unexpected_error_at_the_start_begins_with_the_last_edition(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = Publisher(settings, opened_stores(settings), watching=True).first()
    assert isinstance(first, BuildResult)

    def failing(*_: Any) -> Any:
        raise KeyError("/old")

    monkeypatch.setattr(build, "render_units", failing)
    assert Publisher(settings, opened_stores(settings), watching=True).first() == BuildResult(None, first.pointer)
    assert "an unexpected error, KeyError: '/old'. Its traceback is in " in capsys.readouterr().err
