"""What commands say of a store that cannot be used: one sentence and an exit code, never a traceback."""

import errno
import os
import random
from pathlib import Path

import pytest

from citepress.cli import run
from citepress.stores.local import nameless_file
from citepress.stores.sql.migrate import open_store
from support.folder import folder, post
from support.running_server import free_port

WRONG = [
    ({"DATABASE_URL": "mysql://host/name"}, "write postgresql://user:password@host/name"),
    (
        {"DATABASE_URL": "postgresql://nobody:geheim@127.0.0.1:1/none"},
        "postgresql+psycopg://nobody:***@127.0.0.1:1/none does not respond",
    ),
    ({"VALKEY_URL": "http://host"}, "the Valkey address cannot be read"),
    ({"VALKEY_URL": "valkey://127.0.0.1:1/0"}, "Valkey does not respond"),
]


@pytest.fixture
def content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("DATABASE_URL", "VALKEY_URL", "STATE"):
        monkeypatch.delenv(f"CITEPRESS_{name}", raising=False)
    return folder(tmp_path / "content", {"content/posts/one.md": post()})


def served(content: Path, *options: str) -> int:
    return run(["serve", str(content), "--port", str(free_port()), *options])


@pytest.mark.parametrize(("environ", "reason"), WRONG)
def test_a_store_that_cannot_be_used_ends_the_server_with_one_sentence(
    content: Path,
    environ: dict[str, str],
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(f"CITEPRESS_{name}", value)
    assert served(content) == 1
    message = capsys.readouterr().err
    assert message.startswith("citepress: ")
    assert message.count("\n") == 1
    assert reason in message
    assert "geheim" not in message


@pytest.mark.parametrize("command", [["inbox", "list", "--content"], ["mcp"], ["serve"]])
def test_a_damaged_state_store_is_one_sentence_for_every_command(
    content: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (content / "state").mkdir()
    (content / "state/state.sqlite").write_bytes(
        b"This is no database, and it is longer than the header of one. " * 100
    )
    assert run([*command, str(content)]) == 1
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "warnings" not in line]
    assert line.startswith(
        f"citepress: the store {content / 'state/state.sqlite'} is damaged (file is not a database): stop the server,"
    )
    assert "citepress restore" in line


def test_flipped_bytes_of_a_state_store_are_one_sentence_or_none(
    content: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["inbox", "list", "--state", str(_state_of(content))]) == 0
    whole = (content / "state/state.sqlite").read_bytes()
    for seed in range(60):
        chance = random.Random(seed)  # noqa: S311  (repeatable damage)
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 20, 1000))):
            damaged[chance.randrange(chance.choice((4096, len(whole))))] ^= chance.randrange(1, 256)
        (content / "state/state.sqlite").write_bytes(damaged)
        capsys.readouterr()
        if run(["inbox", "list", "--state", str(content / "state")]):
            assert len(capsys.readouterr().err.splitlines()) == 1


def _state_of(content: Path) -> Path:
    """The state folder of a server that ran."""
    open_store(content / "state").close()
    return content / "state"


def test_a_state_folder_that_cannot_be_made_is_one_sentence(content: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert served(content, "--state", str(content / "site.toml" / "state")) == 1
    assert "cannot be opened: Not a directory" in capsys.readouterr().err


def test_counters_without_room_end_the_server_with_one_sentence(
    content: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(**_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(nameless_file.tempfile, "TemporaryFile", full)
    assert served(content, "--workers", "2") == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == f"citepress: {content / 'state'} has no room for the counters of limits: No space left on device"


def test_no_worker_is_wrong_usage(content: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert served(content, "--workers", "0") == 2
    assert "at least one worker" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["inbox", "list"],
        ["payments", "ledger"],
        ["payments", "refunds"],
        ["payments", "pause", "all"],
        ["telemetry", "report"],
        ["telemetry", "salt", "status"],
        ["telemetry", "ranges", "status"],
    ],
)
def test_a_store_that_does_not_exist_is_not_made_by_a_command_that_reads_it(
    content: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, "--content", str(content), "--state", str(content / "sate")]) != 0
    message = capsys.readouterr().err
    assert "there is no" in message
    assert str(content / "sate") in message
    assert not (content / "sate").exists()


def test_rails_are_checked_before_the_first_start(content: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["payments", "init", "--content", str(content)])
    assert run(["payments", "status", "--content", str(content)]) == 0, capsys.readouterr().err
    assert not (content / "state/state.sqlite").exists()
