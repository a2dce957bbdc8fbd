"""``citepress mcp`` as a process: nothing but replies on its output, and an end that is no fault."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.folder import folder, post
from support.mcp_endpoint import message
from support.waiting import PATIENCE_S


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder(tmp_path_factory.mktemp("spoken"), {"content/posts/one.md": post(title="One note")})


def started(content: Path) -> subprocess.Popen[bytes]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CITEPRESS_")}
    command = [sys.executable, "-m", "citepress", "mcp", str(content)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=clean)


def line(method: str, id_: int, **params: object) -> bytes:
    return json.dumps(message(method, params, id_=id_)).encode() + b"\n"


def test_a_conversation_ends_with_its_input(content: Path) -> None:
    with started(content) as process:
        call = line("tools/call", 2, name="search_archive", arguments={"query": "note"})
        out, _ = process.communicate(
            line("initialize", 1, protocolVersion="2025-06-18") + b"no json\n" + call, timeout=120
        )
    replies = [json.loads(line) for line in out.splitlines()]
    assert [reply["id"] for reply in replies] == [1, None, 2]
    assert replies[2]["result"]["structuredContent"]["total"] == 1
    assert process.returncode == 0


def test_a_conversation_can_be_ended_from_outside(content: Path) -> None:
    with started(content) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(line("ping", 1))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"] == {}
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0


def test_a_listener_that_leaves_is_no_fault(content: Path) -> None:
    with started(content) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(line("ping", 1))
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(line("tools/list", 2))
        process.stdin.flush()
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr
        assert b"Traceback" not in process.stderr.read()


def test_faults_of_the_content_end_it_before_anything_is_read(tmp_path: Path) -> None:
    broken = folder(tmp_path, {"content/posts/one.md": post(date="never")})
    with started(broken) as process:
        out, err = process.communicate(line("ping", 1), timeout=PATIENCE_S)
    assert (process.returncode, out) == (1, b"")
    assert b"one.md" in err
    assert b"Traceback" not in err


def test_a_folder_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    with started(tmp_path / "none") as process:
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (2, b"")
    assert b"is not a folder" in err
