"""``citepress ping``: a hub and an IndexNow endpoint are told what changed, each address once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import orjson
import pytest

from citepress.admin.build import Builder
from citepress.edition.edition import Edition, open_edition
from citepress.settings import Settings
from citepress_fleet import announcing
from citepress_fleet.announcing import AnnouncementError, ChangeAnnouncer
from support.commands import citepress
from support.compared_editions import MOMENT
from support.fake_http_server import Answer, answering
from support.folder import SITE, folder, markdown, post

KEY = "0f1e2d3c4b5a6978"
BASE = "https://archive.test"
RECORDS = {f"content/posts/p{number}.md": post(f"Text {number}.") for number in range(3)}


class Services:
    """A hub and a search engine that note what they are told, and may fail."""

    def __init__(self) -> None:
        self.feeds: list[str] = []
        self.pages: list[str] = []
        self.keys: list[Any] = []
        self.failing: set[str] = set()
        self.address = ""

    def answer(self, path: str, body: bytes) -> Answer:
        if path in self.failing:
            return Answer(b"", 503)
        if path == "/hub":
            form = parse_qs(body.decode())
            assert form["hub.mode"] == ["publish"]
            self.feeds += form["hub.url"]
            return Answer(b"", 204)
        document = orjson.loads(body)
        self.keys.append([document["host"], document["key"], document["keyLocation"]])
        self.pages += document["urlList"]
        return Answer(b"", 202)

    def site(self) -> str:
        return f'{SITE}hub = "{self.address}/hub"\nindexnow_key = "{KEY}"\n'


@pytest.fixture
def services() -> Iterator[Services]:
    services = Services()
    with answering(services.answer) as services.address:
        yield services


def edition(root: Path, state: Path) -> Edition:
    return open_edition(Builder(Settings(root, state)).build(MOMENT).pointer)


def announcer(root: Path, state: Path, services: Services) -> ChangeAnnouncer:
    return ChangeAnnouncer(state, edition(root, state), f"{services.address}/indexnow", lambda _: None)


def test_each_change_is_announced_once_and_nothing_else(tmp_path: Path, services: Services) -> None:
    root, state = folder(tmp_path / "archive", RECORDS, services.site()), tmp_path / "state"
    announcer(root, state, services).announce()
    assert {f"{BASE}/rss.xml", f"{BASE}/feed.json", f"{BASE}/changes.xml"} <= set(services.feeds)
    assert {f"{BASE}/posts/feed{name}" for name in (".xml", "/rss.xml", "/feed.json")} <= set(services.feeds)
    assert {f"{BASE}/posts/p0/", f"{BASE}/posts/p2/", f"{BASE}/"} <= set(services.pages)
    assert services.keys == [["archive.test", KEY, f"{BASE}/indexnow.txt"]]
    served = edition(root, state).find("/indexnow.txt")
    assert served
    assert bytes(served.leaf.body) == KEY.encode()
    services.feeds, services.pages = [], []
    assert announcer(root, state, services).announce() == {}
    folder(root, {"content/posts/p1.md": post("Another text.")}, None)
    announcer(root, state, services).announce()
    assert f"{BASE}/posts/p1/" in services.pages
    assert not {f"{BASE}/posts/p0/", f"{BASE}/about/"} & set(services.pages)
    gone = markdown({"title": "Gone", "gone": {"date": "2026-06-01", "reason": "It was wrong."}})
    folder(root, {"content/posts/p2.md": gone}, None)
    announcer(root, state, services).announce()
    assert f"{BASE}/posts/p2/" in services.pages
    assert f"{BASE}/posts/p0/" not in services.pages
    assert not [page for page in services.pages if page.endswith((".md", ".json")) or "@" in page]
    assert f"{BASE}/changes.xml" in services.feeds


def test_a_process_that_is_killed_in_between_goes_on_where_it_was(
    tmp_path: Path, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(announcing.MAX_BATCH_ADDRESSES, "indexnow", 4)
    root, state = folder(tmp_path / "archive", RECORDS, services.site()), tmp_path / "state"
    rounds = 0
    while True:
        run = announcer(root, state, services)
        requests = list(run.announcements())
        if not requests:
            break
        reason = run._send(requests[0])  # noqa: SLF001  (a run that ends after its first request)
        assert not reason
        run._note(requests[0])  # noqa: SLF001
        rounds += 1
    assert rounds > 5
    assert len(services.pages) == len(set(services.pages)) > 4
    assert len(services.feeds) == len(set(services.feeds)) > 2


def test_a_service_that_fails_is_told_later_and_keeps_no_other_waiting(tmp_path: Path, services: Services) -> None:
    root, state = folder(tmp_path / "archive", RECORDS, services.site()), tmp_path / "state"
    services.failing = {"/hub"}
    with pytest.raises(AnnouncementError, match="hub: it answers 503"):
        announcer(root, state, services).announce()
    assert services.pages
    services.failing, services.pages = set(), []
    announcer(root, state, services).announce()
    assert services.feeds
    assert services.pages == []


@pytest.mark.parametrize("base", ["http://127.0.0.1:8000", "http://archive.local", "https://10.0.0.1", "http://box"])
def test_nobody_is_told_of_an_address_that_is_not_public(tmp_path: Path, services: Services, base: str) -> None:
    site = services.site().replace(BASE, base)
    root = folder(tmp_path / "archive", RECORDS, site)
    with pytest.raises(AnnouncementError, match="nobody was notified"):
        announcer(root, tmp_path / "state", services)
    assert (services.feeds, services.pages) == ([], [])


def test_the_command_tells_and_says_so(tmp_path: Path, services: Services) -> None:
    root = folder(tmp_path / "archive", RECORDS, services.site())
    options = ("--state", str(tmp_path / "state"), "--indexnow", f"{services.address}/indexnow")
    listed = citepress("ping", str(root), "--dry-run", *options)
    assert f"indexnow {BASE}/posts/p0/" in listed.stdout
    assert {f"hub {BASE}/{feed}" for feed in ("rss.xml", "posts/feed.xml")} <= set(listed.stdout.split("\n"))
    assert services.pages == []
    run = citepress("ping", str(root), *options)
    assert (run.returncode, "Notified IndexNow of" in run.stdout, "Notified the WebSub hub of" in run.stdout) == (
        0,
        True,
        True,
    )
    assert "Nothing changed" in citepress("ping", str(root), *options).stdout
    silent = folder(tmp_path / "silent", RECORDS)
    for more in ((), ("--dry-run",)):
        assert citepress("ping", str(silent), "--state", str(tmp_path / "other"), *more).returncode == 1


def test_publishing_tells_at_the_end_where_it_is_asked_to(tmp_path: Path, services: Services) -> None:
    root = folder(tmp_path / "archive", RECORDS, f'{SITE}hub = "{services.address}/hub"\n')
    (tmp_path / "store").mkdir()
    words = ("publish", str(root), f"file://{tmp_path}/store", "--state", str(tmp_path / "state"))
    assert citepress(*words).returncode == 0
    assert services.feeds == []
    run = citepress(*words, "--ping")
    assert (run.returncode, "Notified the WebSub hub" in run.stdout) == (0, True), run.stderr
    assert f"{BASE}/rss.xml" in services.feeds
