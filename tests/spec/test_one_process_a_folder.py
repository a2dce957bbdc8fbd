"""Two processes never build into one folder: the second waits for the first, or says which process is in the way."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from citepress.admin.state_folders import keep_private
from citepress.base.folder_lock import LOCK_FILE, FolderLockError, exclusive
from support.commands import citepress, conversation
from support.folder import folder, post
from support.running_server import free_port, serving, serving_command
from support.waiting import PATIENCE_S

pytestmark = pytest.mark.long

HOLD = (
    "import sys, time; from pathlib import Path; from citepress.base.folder_lock import exclusive\n"
    "with exclusive(Path(sys.argv[1]), 0, print):\n    print('held', flush=True); time.sleep(600)"
)


@contextmanager
def holding(place: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock of a folder until it is killed."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(place)], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return folder(tmp_path / "site", {"content/posts/one.md": post()})


def test_a_second_server_over_the_same_state_is_refused_and_changes_nothing(root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with serving_command(root, state) as server:
        before = server.ask("/posts/one.json", **server.client()).body
        holder = (state / LOCK_FILE).read_text("ascii").strip()
        second = citepress("serve", str(root), "--state", str(state), "--port", str(free_port()), "--drafts")
        assert second.returncode == 1
        refusal = f"citepress: {state} is in use by process {holder}: stop it, or choose another folder with --state\n"
        assert second.stderr.endswith(refusal)
        assert second.stderr.startswith(f"Waiting for process {holder}")
        assert server.ask("/posts/one.json", **server.client()).body == before


def test_a_server_that_was_killed_leaves_the_folder_free(tmp_path: Path) -> None:
    with holding(tmp_path) as process:
        with pytest.raises(FolderLockError, match=f"in use by process {process.pid}:"), exclusive(tmp_path, 0, print):
            pass
        process.send_signal(signal.SIGKILL)
        process.wait()
        with exclusive(tmp_path, 1.0, print):
            assert (tmp_path / LOCK_FILE).read_text("ascii") == f"{os.getpid()}\n"


def test_a_server_that_replaces_another_waits_for_its_end(tmp_path: Path) -> None:
    with holding(tmp_path) as process:
        holders: list[str] = []

        def end(holder: str) -> None:
            holders.append(holder)
            threading.Timer(0.2, process.terminate).start()

        with exclusive(tmp_path, PATIENCE_S, end):
            assert process.wait(PATIENCE_S) == -signal.SIGTERM
        assert holders == [f"process {process.pid}"]


def test_a_forked_worker_does_not_keep_the_lock_of_a_parent_that_ended(tmp_path: Path) -> None:
    program = (
        "import os, sys, time; from pathlib import Path; from citepress.base.folder_lock import exclusive\n"
        "with exclusive(Path(sys.argv[1]), 0, print):\n"
        "    child = os.fork()\n"
        "    if child: print(child, flush=True)\n"
        "    if not child: os.close(1); os.close(2); time.sleep(600)\n"
        "    os._exit(0)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    try:
        with exclusive(tmp_path, 0, print):
            pass
    finally:
        os.kill(int(done.stdout), signal.SIGKILL)


@pytest.mark.parametrize("command", ["build", "mcp"])
def test_two_builds_at_once_wait_for_each_other(root: Path, tmp_path: Path, command: str) -> None:
    state = tmp_path / "state"
    options = ["--output", str(tmp_path / "dist")] if command == "build" else []
    place = state / ("export" if command == "build" else "mcp")
    words = [command, str(root), "--state", str(state), *options]
    with holding(place) as holder, conversation(*words) as waiting:
        message = waiting.stderr.readline().decode()
        assert message == f"Waiting for process {holder.pid}, which builds in the same folder.\n"
        holder.kill()
        waiting.finish()
    assert waiting.process.returncode == 0


def test_a_state_folder_is_its_owners_alone_from_the_start(tmp_path: Path) -> None:
    root, state = folder(tmp_path / "content", {"content/posts/one.md": post("Draft.", draft=True)}), tmp_path / "state"
    with serving(root, state):
        assert open_to_others(state) == []
    (state / "log").chmod(0o755)
    (state / "log/editions.jsonl").chmod(0o644)
    (state / "left.tmp").write_text("secret")
    (state / "left.tmp").chmod(0o666)
    with serving(root, state):
        assert open_to_others(state) == []


def test_a_folder_that_everybody_shares_is_not_taken_away(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o1777)
    umask = os.umask(0o022)
    try:
        keep_private(tmp_path / "shared", tmp_path)
        keep_private(tmp_path, tmp_path)
    finally:
        os.umask(umask)
    assert (tmp_path / "shared").stat().st_mode & 0o7777 == 0o1777


def open_to_others(folder: Path) -> list[str]:
    """What is not its owner's alone, in a folder and below it."""
    return [str(path.relative_to(folder)) for path in (folder, *folder.rglob("*")) if path.stat().st_mode & 0o077]
