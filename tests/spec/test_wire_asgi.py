"""``citepress.asgi:application`` on uvicorn answers like ``citepress serve``, and explains a start-up that fails."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError

import pytest

from citepress.base import clock
from support.distribution import ArchivePublisher, open_bucket
from support.folder import folder, post
from support.running_server import HOST, free_port
from support.server_with_actions import small
from support.waiting import PATIENCE_S, until

BASE = "https://archive.test"
PREFIXES = ("UVICORN_", "CITEPRESS_")


def uvicorn(content: Path, state: Path, port: int, **named: str) -> subprocess.Popen[str]:
    quiet = {name: text for name, text in os.environ.items() if not name.startswith(PREFIXES)}
    environ = {"CITEPRESS_CONTENT": str(content), "CITEPRESS_STATE": str(state), "CITEPRESS_BASE_URL": BASE, **named}
    options = ["--host", HOST, "--port", str(port), "--http", "httptools", "--log-level", "error"]
    return subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "citepress.asgi:application", *options],
        env=quiet | environ,
        stderr=subprocess.PIPE,
        text=True,
    )


def ask(url: str, body: object = None, **fields: str) -> tuple[int, dict[str, str], bytes]:
    data = None if body is None else json.dumps(body).encode()
    headers = {name.replace("_", "-"): text for name, text in fields.items()}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers), timeout=PATIENCE_S) as answer:
            return answer.status, {name.lower(): text for name, text in answer.headers.items()}, answer.read()
    except HTTPError as error:
        with error:
            return error.code, {name.lower(): text for name, text in error.headers.items()}, error.read()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the application on uvicorn."""
    port = free_port()
    content = tmp_path_factory.mktemp("archive") / "content"
    small(content)
    process = uvicorn(content, tmp_path_factory.mktemp("state"), port)
    latest = clock.seconds() + 60
    try:
        while clock.seconds() < latest:
            try:
                ask(f"http://{HOST}:{port}/robots.txt")
                break
            except OSError:
                assert process.poll() is None, process.communicate()[1]
        yield f"http://{HOST}:{port}"
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def test_pages_records_and_conditions_are_answered(served: str) -> None:
    status, fields, body = ask(f"{served}/posts/caching.json", accept="application/json")
    assert (status, fields["content-type"]) == (200, "application/json")
    assert json.loads(body)["canonical_url"] == f"{BASE}/posts/caching/"
    assert fields["ratelimit-policy"] == '"rest";q=120;w=60'
    assert ask(f"{served}/posts/caching.json", if_none_match=fields["etag"])[0] == 304
    assert ask(f"{served}/posts/caching/", accept="text/markdown")[1]["content-type"].startswith("text/markdown")
    assert ask(f"{served}/none.json")[0] == 404


def test_searches_submissions_and_mcp_are_answered(served: str) -> None:
    status, _, body = ask(f"{served}/search.json?query=caches")
    assert status == 200, body
    assert json.loads(body)["results"]
    source = {"url": "https://source.example/one", "reason": "It shows the opposite."}
    status, fields, _ = ask(f"{served}/agent-inbox/source", source, content_type="application/json")
    assert status == 202
    assert json.loads(ask(f"{served}{fields['location']}")[2])["status"] == "queued"
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    status, _, body = ask(f"{served}/mcp", ping, content_type="application/json", host=f"{HOST}:1")
    assert (status, json.loads(body)["result"]) == (200, {})


def test_content_that_cannot_be_served_fails_the_start_in_one_sentence(tmp_path: Path) -> None:
    broken = folder(tmp_path / "content", {"content/posts/one.md": "---\ntitle: 3\n---\nText.\n"})
    process = uvicorn(broken, tmp_path / "state", free_port())
    _, log = process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0
    assert "citepress check shows them." in log
    assert "Traceback" not in log


def test_an_edition_of_an_object_store_is_served_and_followed_by_one_process_of_two(tmp_path: Path) -> None:
    publisher = ArchivePublisher(tmp_path, open_bucket(tmp_path / "bucket"))
    publisher.publish()
    ports = (free_port(), free_port())
    place = {"CITEPRESS_EDITION": publisher.objects.target, "CITEPRESS_EDITION_KEY": publisher.key}
    processes = [uvicorn(tmp_path / "nowhere", tmp_path / "node", port, **place) for port in ports]
    try:
        for port in ports:
            assert until(lambda port=port: _shown(port, "Otters number 1."))
        publisher.edit({"content/posts/note-1.md": post("Walruses now.")})
        publisher.publish()
        for port in ports:
            assert until(lambda port=port: _shown(port, "Walruses now."))
    finally:
        for process in processes:
            process.terminate()
        errors = [process.communicate(timeout=PATIENCE_S)[1] for process in processes]
    assert not any("Traceback" in error for error in errors), errors


def test_a_store_that_gives_no_edition_fails_the_start_in_a_sentence(tmp_path: Path) -> None:
    place = {"CITEPRESS_EDITION": "nowhere"}
    process = uvicorn(tmp_path, tmp_path / "node", free_port(), **place)
    assert "'nowhere' is not the address of an object store" in process.communicate(timeout=PATIENCE_S)[1]
    assert process.returncode != 0


def _shown(port: int, words: str) -> bool:
    try:
        return words in ask(f"http://{HOST}:{port}/posts/note-1.md")[2].decode()
    except OSError:
        return False
