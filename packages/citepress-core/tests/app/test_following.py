"""Following the pointer to the edition: a worker opens each edition once; reports are rendered over the current one."""

import threading
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.app import worker
from citepress.base import clock
from citepress.edition import overlay
from citepress.edition.edition import Edition, open_edition, pointer
from citepress.edition.overlay import generations, overlay_pointer, pack_name
from citepress.edition.pack import Pack
from citepress.settings import Settings
from citepress.web.reload import EditionReloader
from citepress_telemetry.aggregation import create_aggregator
from support.folder import folder, post, topic
from support.reports import counted_archive_in
from support.rollups import NOW

FILES = {"content/posts/one.md": post(), "content/topics/moves.md": topic()}


def test_a_worker_opens_an_edition_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(folder(tmp_path / "site", FILES), tmp_path / "state")
    built = Builder(settings).build(clock.now())
    opened: list[Edition] = []

    def count(pointed: Path) -> Edition:
        opened.append(open_edition(pointed))
        return opened[-1]

    monkeypatch.setattr(overlay, "open_edition", count)
    application = worker.create_app(settings, built.pointer)
    reloader = getattr(application.tasks[0], "__self__", None)
    assert isinstance(reloader, EditionReloader)
    assert not reloader.look()
    assert len(opened) == 1
    folder(settings.root, {"content/posts/two.md": post()})
    Builder(settings).build(clock.now())
    assert reloader.look()
    assert not reloader.look()
    assert len(opened) == 2


def _rendered_over(state: Path) -> str:
    """Digest of the edition that the newest reports were rendered over."""
    pointed = overlay_pointer(state)
    return str(Pack(pointed.parent / pack_name(generations(pointed)[0])).notes["edition"])


def test_reports_follow_a_new_edition_though_nothing_was_closed(tmp_path: Path) -> None:
    archive = counted_archive_in(folder(tmp_path / "site", FILES), tmp_path / "state", hours=3)
    state = archive.settings.state
    aggregator, _ = create_aggregator(archive.settings, threading.Event())
    aggregator.close_due(NOW)
    first = open_edition(pointer(state)).digest
    assert _rendered_over(state) == first
    folder(archive.settings.root, {"content/posts/two.md": post()})
    Builder(archive.settings).build(clock.now())
    second = open_edition(pointer(state)).digest
    aggregator.close_due(NOW)
    assert _rendered_over(state) == first, "it may change again at once"
    aggregator.close_due(NOW)
    assert _rendered_over(state) == second != first
