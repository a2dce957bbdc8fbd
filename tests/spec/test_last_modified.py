"""``Last-Modified`` says since when a representation has its bytes (RFC 9110 section 8.8.2)."""

import os
import time
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.base.timestamps import rfc3339
from citepress.edition.edition import open_edition
from citepress.settings import Settings
from support.folder import folder, post
from support.mcp_endpoint import MODERN, Wire, result
from support.running_server import Server, serving

pytestmark = pytest.mark.requirement("conditional")
ABOUT = "---\ntitle: About\n---\n\nFirst words.\n"
FILES = {
    "content/posts/one.md": post("First words.", title="One"),
    "content/posts/two.md": post(related=["posts/one"]),
    "content/pages/about.md": ABOUT,
}
RECORD = ("/posts/one/", "/posts/one.md", "/posts/one.json")
PATHS = (*RECORD, "/posts/two/", "/about/", "/posts.json", "/rss.xml", "/llms.txt")


def not_modified(server: Server, since: dict[str, str]) -> set[str]:
    return {path for path, date in since.items() if server.ask(path, if_modified_since=date).status == 304}


def dates(server: Server, paths: tuple[str, ...]) -> dict[str, str]:
    """The dates that stay: an edition of this very second may be dated later, and is cut to its answer's date."""
    while any(server.ask(path).fields["last-modified"] == server.ask(path).fields["date"] for path in paths):
        time.sleep(0.1)
    return {path: server.ask(path).fields["last-modified"] for path in paths}


@pytest.mark.parametrize(
    ("name", "text", "changed"),
    [
        ("content/posts/one.md", post("Other words.", title="One"), {*RECORD}),
        ("content/posts/one.md", post("First words.", title="Uno"), {"/posts/one/", "/posts/two/", "/posts.json"}),
        ("content/pages/about.md", ABOUT.replace("First", "Other"), {"/about/"}),
        ("site.toml", 'title = "Another name"\nbase_url = "https://a.example"\n', set(PATHS) - {"/posts/one.json"}),
    ],
    ids=["text", "title", "page", "site"],
)
def test_what_an_undated_edit_changes_is_sent_again(tmp_path: Path, name: str, text: str, changed: set[str]) -> None:
    root, state = folder(tmp_path / "content", FILES), tmp_path / "state"
    with serving(root, state) as server:
        before = dates(server, PATHS)
        assert not_modified(server, before) == set(PATHS)
    (root / name).write_text(text)
    with serving(root, state) as server:
        assert not_modified(server, before) & changed == set()
        assert not_modified(server, dates(server, PATHS)) == set(PATHS)


def test_mcp_names_the_same_date(tmp_path: Path) -> None:
    with serving(folder(tmp_path / "content", FILES), tmp_path / "state") as server:
        resources = result(Wire(server, "/mcp", MODERN).call("resources/list"))["resources"]
        named = {urlsplit(item["uri"]).path: item["annotations"]["lastModified"] for item in resources}
        paths = tuple(path for path in PATHS if path in named)
        assert {"/posts/one/", "/llms.txt"} <= set(paths)
        sent = {path: rfc3339(parsedate_to_datetime(date)) for path, date in dates(server, paths).items()}
        assert {path: named[path] for path in paths} == sent


def test_two_editions_of_one_second_have_two_dates(tmp_path: Path) -> None:
    root, builder = folder(tmp_path, FILES), Builder(Settings(tmp_path, tmp_path / "state"))
    written = []
    for number in range(3):
        (root / "content/posts/one.md").write_text(post(f"Words {number}."))
        edition = open_edition(builder.build(clock.now()).pointer)
        written.append(edition.layers[0].written)
        assert edition.layers[0].written == int(edition.layers[0].path.stat().st_mtime)
    assert written == sorted(set(written))


def test_a_pack_from_the_future_makes_no_page_younger_than_its_answer(tmp_path: Path) -> None:
    root = folder(tmp_path / "content", FILES)
    with serving(root, tmp_path / "state") as server:
        server.ask("/")
    for pack in (tmp_path / "state/edition").glob("*.pack"):
        os.utime(pack, (pack.stat().st_atime, pack.stat().st_mtime + 86_400))
    with serving(root, tmp_path / "state") as server:
        answer = server.ask("/posts/one/")
        assert parsedate_to_datetime(answer.fields["last-modified"]) <= parsedate_to_datetime(answer.fields["date"])
