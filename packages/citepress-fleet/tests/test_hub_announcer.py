"""The hub of the feeds is told of each edition beside ``serve`` and ``publish``, and neither waits for it."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from citepress.admin.build import Builder
from citepress.cli import run
from citepress.cli.publisher import Publisher
from citepress.edition.edition import open_edition, pointer
from citepress.settings import Settings
from citepress.stores.sql.migrate import open_store
from citepress_fleet import announcing
from citepress_fleet.cli import hub_announcer
from citepress_fleet.cli.hub_announcer import HubAnnouncer
from support.commands import citepress
from support.compared_editions import MOMENT
from support.fake_http_server import Answer, answering
from support.folder import SITE, folder, post
from support.waiting import until

BASE = "https://archive.example.org"


class Hub:
    """A hub that notes which feeds it is told of, and may fail or keep its answer back."""

    def __init__(self) -> None:
        self.feeds: list[str] = []
        self.address = ""
        self.status = 204
        self.answers = threading.Event()
        self.answers.set()

    def answer(self, path: str, body: bytes) -> Answer:
        assert path == "/hub"
        self.answers.wait()
        if self.status == 204:
            self.feeds += parse_qs(body.decode())["hub.url"]
        return Answer(b"", self.status)

    def site(self, base: str = BASE) -> str:
        return SITE.replace("https://archive.test", base) + f'hub = "{self.address}/hub"\n'


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr(hub_announcer, "PAUSE_S", 0.0)
    hub = Hub()
    with answering(hub.answer) as hub.address:
        yield hub
        hub.answers.set()


@pytest.fixture
def settings(tmp_path: Path, hub: Hub) -> Settings:
    return Settings(folder(tmp_path / "site", {"content/posts/one.md": post()}, hub.site()), tmp_path / "state")


def announced(settings: Settings) -> None:
    announcer = HubAnnouncer(settings)
    announcer.announce_later(Builder(settings).build(MOMENT).pointer)
    announcer.finish()


@pytest.mark.parametrize("watching", [True, False])
def test_a_server_tells_the_hub_of_the_edition_that_it_begins_with(
    settings: Settings, hub: Hub, capfd: pytest.CaptureFixture[str], *, watching: bool
) -> None:
    publisher = Publisher(settings, open_store(settings.state), watching=watching)
    assert publisher.first()
    assert hub.feeds == [], "workers are forked first, and answer the hub"
    publisher.follow()
    try:
        assert until(lambda: {f"{BASE}/changes.xml", f"{BASE}/posts/feed.xml"} <= set(hub.feeds))
        assert until(lambda: "Notified the WebSub hub of" in capfd.readouterr().err)
    finally:
        publisher.stop(10.0)
    again = citepress("ping", str(settings.root), "--state", str(settings.state))
    assert "Nothing changed" in again.stdout, "ping remembers the same"


def test_a_watching_server_tells_the_hub_of_each_edition(settings: Settings, hub: Hub) -> None:
    publisher = Publisher(settings, open_store(settings.state), watching=True)
    assert publisher.first()
    publisher.follow()
    try:
        assert until(lambda: f"{BASE}/topics/feed.xml" in hub.feeds)
        hub.feeds.clear()
        folder(settings.root, {"content/posts/two.md": post("Another text.")}, None)
        assert until(lambda: f"{BASE}/posts/feed.xml" in hub.feeds)
        assert f"{BASE}/topics/feed.xml" not in hub.feeds
    finally:
        publisher.stop(10.0)


def test_an_edition_is_published_while_the_hub_keeps_its_answer_back(settings: Settings, hub: Hub) -> None:
    hub.answers.clear()
    publisher = Publisher(settings, open_store(settings.state), watching=True)
    assert publisher.first()
    publisher.follow()
    try:
        folder(settings.root, {"content/posts/two.md": post("Another text.")}, None)
        assert until(lambda: b"posts/two" in (open_edition(pointer(settings.state)).body("/posts.json") or b""))
        assert hub.feeds == []
    finally:
        publisher.stop(10.0)


def test_publishing_succeeds_without_the_hub_and_tells_it_the_next_time(
    settings: Settings,
    hub: Hub,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(announcing, "WAITS", ())
    (tmp_path / "store").mkdir()
    words = ["publish", str(settings.root), f"file://{tmp_path}/store", "--state", str(settings.state)]
    hub.status = 404
    assert run(words) == 0
    assert "The WebSub hub was not notified of every change: it answers 404." in capfd.readouterr().err
    hub.status = 204
    hub.answers.clear()
    monkeypatch.setattr(hub_announcer, "FINISH_S", 0.2)
    assert run(words) == 0
    assert "The WebSub hub takes too long." in capfd.readouterr().err
    hub.answers.set()
    monkeypatch.setattr(hub_announcer, "FINISH_S", 60.0)
    assert run(words) == 0
    assert "Notified the WebSub hub of" in capfd.readouterr().err
    assert f"{BASE}/rss.xml" in hub.feeds
    hub.feeds.clear()
    assert run(words) == 0
    assert hub.feeds == []


@pytest.mark.parametrize(
    "base",
    [
        "http://127.0.0.1:8000",
        "https://10.0.0.1",
        "http://box",
        "https://a.local",
        "https://a.test",
        "https://a.example",
    ],
)
def test_no_hub_is_told_of_an_address_that_is_not_public(settings: Settings, hub: Hub, base: str) -> None:
    folder(settings.root, {}, hub.site(base))
    announced(settings)
    assert hub.feeds == []


def test_no_hub_is_told_of_drafts(settings: Settings, hub: Hub) -> None:
    announced(replace(settings, drafts=True))
    assert hub.feeds == []
    announced(settings)
    assert hub.feeds
