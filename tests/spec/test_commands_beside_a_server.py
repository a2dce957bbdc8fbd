"""Commands on a folder that is being served: what the server publishes is changed by the server alone."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from citepress.cli import run
from support.commands import citepress
from support.folder import folder, post
from support.mcp_endpoint import message
from support.running_server import Server, serving

pytestmark = pytest.mark.long

BASE, OTHER = "https://live.example", "https://elsewhere.example"
FILES = {
    "content/posts/secret.md": post("The falcon nests.", draft=True),
    "content/posts/open.md": post("The heron waits."),
}
FOLLOWED_S = 3.0
"""Workers look for another edition every second."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder(tmp_path_factory.mktemp("live"), FILES, 'title = "Live"\n')


@pytest.fixture(scope="module")
def server(root: Path) -> Iterator[Server]:
    with serving(root, root / "state", base_url=BASE) as live:
        yield live


def published(server: Server) -> dict[str, bytes]:
    """What the server says of itself, of its records, of a draft and of a search for it."""
    time.sleep(FOLLOWED_S)
    assert [server.ask(path, **server.client()).status for path in ("/posts/secret/", "/posts/secret.json")] == [
        404,
        404,
    ]
    paths = ("/posts/open.json", "/posts.json", "/sitemap.xml", "/rss.xml", "/llms.txt")
    bodies = {path: server.ask(path, **server.client()).body for path in paths}
    assert BASE.encode() in bodies["/posts/open.json"]
    answer = server.ask("/search.json?query=falcon", **server.client())
    assert (answer.status, b"/posts/secret" in answer.body) == (200, False)
    return bodies


def hits_over_stdio(root: Path, *options: str) -> int:
    """How many records a search over standard input and output finds for the word that only the draft has."""
    call = message("tools/call", {"name": "search_archive", "arguments": {"query": "falcon"}}, id_=1)
    done = citepress("mcp", str(root), *options, standard_input=json.dumps(call).encode() + b"\n")
    assert done.returncode == 0, done.stderr
    return int(json.loads(done.stdout)["result"]["structuredContent"]["total"])


def test_an_export_with_drafts_and_another_address_leaves_the_server_as_it_was(
    root: Path, server: Server, tmp_path: Path
) -> None:
    before, out = published(server), tmp_path / "out"
    assert run(["build", str(root), "--output", str(out), "--drafts", "--base-url", OTHER]) == 0
    assert (out / "posts/secret/index.html").is_file()
    assert OTHER in (out / "posts/open.json").read_text("utf-8")
    assert published(server) == before
    assert run(["build", str(root), "--output", str(out)]) == 0
    assert not (out / "posts/secret/index.html").exists()
    assert published(server) == before


def test_a_conversation_over_standard_input_leaves_the_server_as_it_was(root: Path, server: Server) -> None:
    before = published(server)
    assert (hits_over_stdio(root, "--drafts"), hits_over_stdio(root), hits_over_stdio(root, "--drafts")) == (1, 0, 1)
    assert published(server) == before
