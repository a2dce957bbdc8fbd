"""An edition or its index, damaged on disk under a running server: a clean 503, one line in the log, and a new one."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from citepress.edition.edition import open_edition, pointer
from citepress_mcp.jsonrpc import INTERNAL_ERROR
from support.folder import folder, post
from support.running_server import Answer, Server, forked, free_port
from support.waiting import until

COUNT = 6
PATHS = [f"/posts/note-{number}.md" for number in range(COUNT)]
MADE = ("/search/?query=text", "/search.json?query=text", "/posts/?year=2020", "/posts.json?year=2020")
"""What is made when it is asked for: by handlers of operations, and lists under a query."""
PARAMETERS: dict[str, Any] = {
    "tools/list": {},
    "tools/call": {"name": "get_record", "arguments": {"id": "posts/note-1"}},
}
SEARCH = {"name": "search_archive", "arguments": {"query": "weirs"}}
FOOTER = 120
"""Bytes at the end of a file of the index that are left as they are."""
Damage = Callable[[Path], None]


def flip(state: Path) -> None:
    """Change a byte in the body of a leaf, where it lies."""
    edition = open_edition(pointer(state))
    for path in PATHS:
        meta = edition.meta(path)
        assert meta
        start, length, _ = meta["packed"]
        _write(edition.layers[-1].path, start + length // 2)


def cut(state: Path) -> None:
    """Cut the pack short in the middle."""
    file = open_edition(pointer(state)).layers[-1].path
    os.truncate(file, file.stat().st_size // 2)


def _write(file: Path, place: int) -> None:
    with file.open("r+b") as pack:
        pack.seek(place)
        byte = pack.read(1)[0]
        pack.seek(place)
        pack.write(bytes([byte ^ 0xFF]))


@contextmanager
def served(tmp_path: Path) -> Iterator[tuple[Server, Path, Path]]:
    """A server that follows no file, its state folder and its log."""
    files = {f"content/posts/note-{number}.md": post(f"Text {number}.") for number in range(COUNT)}
    root, state, log = folder(tmp_path / "site", files), tmp_path / "state", tmp_path / "log"
    port = free_port()
    command = ["serve", str(root), "--port", str(port), "--state", str(state), "--workers", "1"]
    with forked("citepress.cli:main", command, port, log=log) as server:
        yield server, state, log


@pytest.mark.parametrize("damage", [flip, cut])
def test_damage_that_is_read_is_answered_with_503_and_repaired(tmp_path: Path, damage: Damage) -> None:
    with served(tmp_path) as (server, state, log):
        before = server.ask("/feed.json")
        damage(state)
        answers = [server.ask(path) for path in PATHS]
        refused = [answer for answer in answers if answer.status != 200]
        assert {answer.status for answer in refused} == {503}
        assert {answer.type.partition(";")[0] for answer in refused} == {"application/problem+json"}
        assert all(int(answer.fields["retry-after"]) > 0 for answer in refused)
        assert until(lambda: _all_found(server))
        assert server.ask("/feed.json").body == before.body
        lines = [line for line in log.read_text().splitlines() if ".pack is damaged" in line]
        assert len(lines) == 1
        assert "a worker ended" not in log.read_text()
        assert not list((state / "edition").glob("*.damaged"))


def test_what_is_made_when_it_is_asked_for_is_answered_with_503_and_repaired(tmp_path: Path) -> None:
    with served(tmp_path) as (server, state, log):
        assert until(lambda: _searches(server))
        cut(state)
        answers = [server.ask(path) for path in MADE]
        assert [answer.status for answer in answers] == [503] * len(MADE)
        assert {answer.type.partition(";")[0] for answer in answers} == {"application/problem+json"}
        assert all(int(answer.fields["retry-after"]) > 0 for answer in answers)
        assert "error" in _called(server, "tools/call")
        assert until(lambda: _statuses(server) == {200})
        assert "Traceback" not in log.read_text()
        assert not list((state / "edition").glob("*.damaged"))


def test_a_tool_call_on_a_damaged_edition_is_an_error_that_says_so(tmp_path: Path) -> None:
    with served(tmp_path) as (server, state, log):
        assert until(lambda: _searches(server))
        assert "result" in _called(server, "tools/list")
        cut(state)
        error = _called(server, "tools/call")["error"]
        assert error["code"] == INTERNAL_ERROR
        assert "damaged" in error["message"]
        assert until(lambda: "result" in _called(server, "tools/call"))
        assert "Traceback" not in log.read_text()


def test_a_damaged_search_index_is_answered_with_503_and_made_anew(tmp_path: Path) -> None:
    with served(tmp_path) as (server, state, log):
        assert until(lambda: _searches(server))
        before = server.ask(MADE[1]).body
        for file in (state / "search").rglob("*.*"):
            if file.suffix in {".term", ".idx", ".store"}:
                with file.open("r+b") as part:
                    part.write(b"\xff" * (file.stat().st_size - FOOTER))
        answers = [server.ask(path.replace("text", "otters")) for path in MADE[:2]]
        assert [answer.status for answer in answers] == [503, 503]
        assert all(int(answer.fields["retry-after"]) > 0 for answer in answers)
        assert "damaged" in _called(server, "tools/call", SEARCH)["error"]["message"]
        assert until(lambda: server.ask(MADE[1]).body == before)
        assert log.read_text().count("the search index is damaged") == 1
        assert "Traceback" not in log.read_text()


def _statuses(server: Server) -> set[int]:
    return {server.ask(path).status for path in MADE}


def _searches(server: Server) -> bool:
    """Whether the search index is there, which comes after the edition."""
    return server.ask(MADE[1]).status == 200


def _called(server: Server, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters or PARAMETERS[method]}
    body = json.dumps(message).encode()
    answer: dict[str, Any] = server.ask("/mcp", "POST", body, content_type="application/json").json()
    return answer


def _all_found(server: Server) -> bool:
    answers: list[Answer] = [server.ask(path) for path in PATHS]
    assert {answer.status for answer in answers} <= {200, 503}
    return all(answer.status == 200 and f"Text {number}." in answer.text for number, answer in enumerate(answers))
