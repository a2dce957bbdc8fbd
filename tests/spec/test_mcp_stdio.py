"""``citepress mcp`` as a process: nothing but replies on its output, and an end that is no fault."""

import json
import signal
from pathlib import Path

import pytest

from support.commands import conversation
from support.folder import folder, post
from support.mcp_endpoint import message
from support.waiting import PATIENCE_S


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder(tmp_path_factory.mktemp("spoken"), {"content/posts/one.md": post(title="One note")})


def line(method: str, id_: int, **params: object) -> bytes:
    return json.dumps(message(method, params, id_=id_)).encode() + b"\n"


def test_a_conversation_ends_with_its_input(content: Path) -> None:
    with conversation("mcp", str(content)) as talk:
        call = line("tools/call", 2, name="search_archive", arguments={"query": "note"})
        out, _ = talk.finish(line("initialize", 1, protocolVersion="2025-06-18") + b"no json\n" + call)
    replies = [json.loads(line) for line in out.splitlines()]
    assert [reply["id"] for reply in replies] == [1, None, 2]
    assert replies[2]["result"]["structuredContent"]["total"] == 1
    assert talk.process.returncode == 0


def test_a_conversation_can_be_ended_from_outside(content: Path) -> None:
    with conversation("mcp", str(content)) as talk:
        talk.stdin.write(line("ping", 1))
        talk.stdin.flush()
        assert json.loads(talk.stdout.readline())["result"] == {}
        talk.process.send_signal(signal.SIGTERM)
        assert talk.process.wait(PATIENCE_S) == 0


def test_a_listener_that_leaves_is_no_fault(content: Path) -> None:
    with conversation("mcp", str(content)) as talk:
        talk.stdin.write(line("ping", 1))
        talk.stdin.flush()
        talk.stdout.readline()
        talk.stdout.close()
        talk.stdin.write(line("tools/list", 2))
        talk.stdin.flush()
        talk.stdin.close()
        assert talk.process.wait(PATIENCE_S) == 0
        assert b"Traceback" not in talk.stderr.read()


def test_faults_of_the_content_end_it_before_anything_is_read(tmp_path: Path) -> None:
    broken = folder(tmp_path, {"content/posts/one.md": post(date="never")})
    with conversation("mcp", str(broken)) as talk:
        out, err = talk.finish(line("ping", 1))
    assert (talk.process.returncode, out) == (1, b"")
    assert b"one.md" in err
    assert b"Traceback" not in err


def test_a_folder_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    with conversation("mcp", str(tmp_path / "none")) as talk:
        out, err = talk.finish()
    assert (talk.process.returncode, out) == (2, b"")
    assert b"is not a folder" in err
