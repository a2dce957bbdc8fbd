"""Several processes read and compile the same archive as one, and one that ends too soon costs nothing but time."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citepress.admin.build import Builder
from citepress.archive import assemble
from citepress.base.forked_processes import MIN_ITEMS_TO_FORK
from citepress.content import source_record
from citepress.contract.fault import UNREADABLE
from citepress.settings import Settings
from support.alone import alone, has_children
from support.folder import NOW, SITE, SPEC, folder, post, topic

COUNT = MIN_ITEMS_TO_FORK + 20
ODD = f"p{COUNT // 2}"
SHARED = "sources:\n  shared: {url: 'https://shared.example/a', title: Shared, accessed_at: 2026-05-01}\n"


def archive(path: Path) -> Path:
    """An archive of linked notes, some of them at fault."""
    files: dict[str, str | bytes] = {
        f"content/posts/p{number}.md": post(
            f"It is said. See [another](/posts/p{(number * 7 + 1) % COUNT}/) of them, and"
            f" [this](https://site{number % 9}.example/). So it is.",
            sources=["shared", {**SPEC, "id": "own", "url": f"https://source{number % 5}.example/{number}"}],
            claims=[{"text": f"Claim {number}.", "source_refs": ["shared", "own"]}],
            topics=["one"],
            title=f"Note {number}",
        )
        for number in range(COUNT)
    }
    files |= {
        "content/sources.yaml": SHARED,
        "content/topics/one.md": topic(),
        "content/posts/lost.md": post("See [nothing](/posts/nowhere/).", related=["posts/neither"]),
        "content/posts/broken.md": "---\ntitle: [\n---\nText.",
        "content/posts/latin.md": b"---\ntitle: caf\xe9\n---\n",
        "content/posts/gone.md": "---\ntitle: Gone\ngone: {reason: It was wrong., date: 2026-05-03}\n---\n",
        "content/posts/draft.md": post(draft=True),
    }
    return folder(path, files, SITE)


def sound(path: Path) -> Path:
    """The same without those that are at fault."""
    root = archive(path)
    for name in ("lost", "broken", "latin"):
        (root / f"content/posts/{name}.md").unlink()
    return root


def outcome(root: Path, state: Path, processes: int, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, ...]:
    """Everything that a first look at a folder tells, by so many processes."""
    monkeypatch.setattr("citepress.base.forked_processes.usable_cores", lambda: processes)
    published, faults = Builder(Settings(root, state)).check(NOW)
    if published is None:
        return None, faults
    entries = [(entry, entry.contents.opened(), entry.revisions) for entry in published.entries.values()]
    documents = [revision.document() for _, _, revisions in entries if revisions for revision in revisions.published]
    return (
        entries,
        documents,
        published.ledger,
        published.origins,
        published.topics,
        published.changes,
        published.withdrawn,
        faults,
    )


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that were forked."""
    forked: list[int] = []
    fork = os.fork

    def noted() -> int:
        pid = fork()
        forked.append(pid)
        return pid

    monkeypatch.setattr(os, "fork", noted)
    return forked


@pytest.mark.parametrize("write", [archive, sound], ids=["with faults", "without"])
def test_several_processes_tell_what_one_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks: list[int], write: Callable[[Path], Path]
) -> None:
    def check() -> None:
        forks.clear()
        root = write(tmp_path / "archive")
        published = outcome(root, tmp_path / "few", 3, monkeypatch)
        assert len(forks) == 6, "three that read and three that make entries"
        assert (published[0] is None) == (write is archive)
        assert published == outcome(root, tmp_path / "one", 1, monkeypatch)
        assert published[-1] or write is sound
        assert not has_children()

    alone(check)


@pytest.mark.parametrize(("module", "name"), [(source_record, "parse"), (assemble, "build_entry")])
def test_what_a_killed_process_leaves_is_done_here_and_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, module: object, name: str
) -> None:
    work = getattr(module, name)

    def check() -> None:
        root, here, calls = sound(tmp_path / "archive"), os.getpid(), []

        def dies(*args: Any, **named: Any) -> Any:
            calls.append(1)
            if os.getpid() != here and len(calls) == 50:
                os.kill(os.getpid(), signal.SIGKILL)
            return work(*args, **named)

        whole = outcome(root, tmp_path / "one", 1, monkeypatch)
        assert whole[0] is not None
        calls.clear()
        monkeypatch.setattr(module, name, dies)
        assert outcome(root, tmp_path / "killed", 2, monkeypatch) == whole
        assert not has_children()
        assert [record.levelname for record in caplog.records] == ["WARNING"] * 2
        assert all("ended with signal 9" in record.getMessage() for record in caplog.records)

    alone(check)


@pytest.mark.parametrize("processes", [1, 3])
def test_a_file_that_vanishes_while_the_folder_is_read_is_a_fault_of_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    parse = source_record.parse

    def vanishing(root: Path, file: Any, **named: Any) -> Any:
        if file.name == f"{ODD}.md":
            (root / file.path).unlink(missing_ok=True)
        return parse(root, file, **named)

    def check() -> None:
        root = sound(tmp_path / "archive")
        monkeypatch.setattr(source_record, "parse", vanishing)
        published, faults = outcome(root, tmp_path / "state", processes, monkeypatch)
        assert published is None
        assert [(fault.place.file, fault.code) for fault in faults if fault.code is UNREADABLE] == [
            (f"content/posts/{ODD}.md", UNREADABLE)
        ]

    alone(check)


@pytest.mark.parametrize("processes", [1, 3])
def test_a_file_that_changes_while_the_folder_is_read_is_read_again_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    parse = source_record.parse

    def changing(root: Path, file: Any, **named: Any) -> Any:
        read = parse(root, file, **named)
        if file.name == f"{ODD}.md" and "Changed" not in (root / file.path).read_text("utf-8"):
            (root / file.path).write_text(post("Changed meanwhile."), "utf-8")
        return read

    def check() -> None:
        root = sound(tmp_path / "archive")
        monkeypatch.setattr("citepress.base.forked_processes.usable_cores", lambda: processes)
        monkeypatch.setattr(source_record, "parse", changing)
        builder = Builder(Settings(root, tmp_path / "state"))
        bodies = []
        for _ in range(2):
            published, _ = builder.check(NOW)
            assert published is not None
            bodies.append(published.entries[f"posts/{ODD}"].record.body_markdown)
        assert bodies[0].startswith("It is said.")
        assert bodies[1] == "Changed meanwhile."

    alone(check)


def test_only_what_changed_is_read_again_and_for_little_no_process_is_forked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks: list[int]
) -> None:
    def check() -> None:
        root = sound(tmp_path / "archive")
        monkeypatch.setattr("citepress.base.forked_processes.usable_cores", lambda: 2)
        builder = Builder(Settings(root, tmp_path / "state"))
        builder.check(NOW)
        forks.clear()
        (root / f"content/posts/{ODD}.md").write_text(post("Edited."), "utf-8")
        published, _ = builder.check(NOW)
        assert published is not None
        assert published.entries[f"posts/{ODD}"].record.body_markdown == "Edited."
        assert forks == []

    alone(check)
