"""A command without enough memory says so in a sentence, and takes nothing that it cannot read for damaged."""

import errno
from pathlib import Path

import pytest

from citepress.admin import build as admin_build
from citepress.cli import run
from citepress.contract.cache import Cache
from citepress.edition.leaf import Leaf
from citepress.edition.pack import Pack, is_damaged
from citepress.edition.pack_writer import PackWriter
from support.folder import folder, post
from support.little_memory import run_with_little_memory

COMMAND = """
import sys
from citepress import cli
from citepress.cli import build, check

limit(30_000_000)
sys.exit(cli.run(sys.argv[1:]))
"""
READING = """
import sys
from citepress.edition.pack import Pack

pack = Pack(Path(sys.argv[1]))
limit(70_000_000)
try:
    pack.meta("/long/")
except Exception as error:
    print(type(error).__name__)
print(pack.meta("/short/")["title"])
"""
FILES = {
    "content/posts/one.md": post(),
    **{f"static/{number}.bin": b"0123456789abcdef" * 300_000 for number in range(8)},
}


@pytest.mark.parametrize("command", ["check", "build"])
def test_a_command_says_that_memory_is_wanting(tmp_path: Path, command: str) -> None:
    site, state, out = folder(tmp_path / "site", FILES), tmp_path / "state", tmp_path / "out"
    further = ["--output", str(out), "--state", str(state)] if command == "build" else []
    done = run_with_little_memory(COMMAND, command, str(site), *further)
    sentence = "citepress: not enough memory: free some, or raise the limit of this process, and run the command again"
    assert (done.returncode, done.stdout, done.stderr.split("\n")) == (1, "", [sentence, ""])
    if further:
        assert run([command, str(site), *further]) == 0
        assert (out / "7.bin").stat().st_size == 4_800_000


def test_a_record_that_cannot_be_read_for_want_of_memory_is_not_damaged(tmp_path: Path) -> None:
    file, title = tmp_path / "one.pack", "A title" * 3_000_000
    writer = PackWriter(file)
    for path, said in (("/long/", title), ("/short/", "Short")):
        writer.add(Leaf(path, path, "html", "text/html", b"", Cache.RECORD, title=said))
    writer.finish({})
    done = run_with_little_memory(READING, str(file))
    assert done.stdout.split() == ["MemoryError", "Short"], done.stderr
    assert not is_damaged(file)
    assert (Pack(file).meta("/long/") or {})["title"] == title


class Panic(BaseException):
    """As a native library raises it: no Exception."""


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (RuntimeError("can't start new thread"), "no further process or thread can be started"),
        (ValueError("System error.'Failed to spawn segment merging thread'"), "no further process or thread"),
        (Panic("Failed to spawn watcher thread: Os { code: 11 }"), "no further process or thread can be started"),
        (OSError(errno.EMFILE, "Too many open files", "x"), "too many files are open: raise the limit"),
        (ValueError("An IO error occurred: 'No space left on device (os error 28)'"), "No space left on device: make"),
        (ImportError("libx.so: failed to map segment from shared object"), "not enough memory: free some"),
    ],
)
def test_what_a_machine_has_run_out_of_is_said_in_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    sentence: str,
) -> None:
    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr(admin_build, "survey", failing)
    site = folder(tmp_path / "site", {"content/posts/one.md": post()})
    assert run(["build", str(site), "--output", str(tmp_path / "out"), "--state", str(tmp_path / "state")]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"citepress: {sentence}")
    assert said.endswith(", and run the command again\n")
    monkeypatch.setattr(admin_build, "survey", lambda _: (_ for _ in ()).throw(KeyError("a bug")))
    with pytest.raises(KeyError):
        run(["build", str(site), "--output", str(tmp_path / "out"), "--state", str(tmp_path / "state")])
