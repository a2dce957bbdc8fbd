"""Several processes render the same edition as one, and one that ends too soon costs time and nothing else."""

import hashlib
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from citepress.base.media import HTML, JSON
from citepress.edition.compiler import RenderUnit
from citepress.edition.edition import open_edition
from citepress.edition.leaf import Leaf
from citepress.edition.publisher import Notes, publish
from citepress.edition.render_processes import MIN_UNITS_TO_FORK
from support.alone import alone, has_children
from support.edition import SHELLS, leaf, site_config

COUNT = 4 * MIN_UNITS_TO_FORK
ODD = COUNT - MIN_UNITS_TO_FORK
"""A unit that no process renders before others were forked."""


def units(before: Callable[[int], object] = lambda _number: None) -> list[RenderUnit]:
    """Pages that compress with a dictionary; ``before`` is called with the number of each that is rendered."""

    def render(number: int) -> tuple[Leaf, ...]:
        before(number)
        text = f"{number} " + " ".join(str(number * value) for value in range(60))
        return (
            leaf(f"/r{number:05d}/", HTML, f"<p>{text}</p>", route="/{slug}/"),
            leaf(f"/r{number:05d}.json", JSON, f'"{text}"', route="/{slug}.json"),
        )

    def unit(number: int) -> RenderUnit:
        name = hashlib.blake2b(str(number).encode(), digest_size=16).digest()
        return RenderUnit(name, lambda: render(number))

    return list(map(unit, range(COUNT)))


def published(folder: Path, works: list[RenderUnit], processes: int) -> bytes:
    """The bytes of the pack."""
    publish(works, folder, Notes(site_config(), SHELLS), {}, processes=processes)
    return next(folder.glob("base-*.pack")).read_bytes()


def test_the_bytes_do_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    def check() -> None:
        rendered_by: set[int] = set()
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        works = units(lambda number: os.write(writer, os.getpid().to_bytes(4, "little")) if number % 10 == 0 else None)
        packs = []
        for processes in (1, 2, 3):
            packs.append(published(tmp_path / str(processes), works, processes))
            said = os.read(reader, 65_536)
            rendered_by.update(int.from_bytes(said[at : at + 4], "little") for at in range(0, len(said), 4))
        os.close(reader)
        os.close(writer)
        assert packs[0] == packs[1] == packs[2]
        assert len(rendered_by) == 1 + 2 + 3, "this process, and those that it forked"
        assert not has_children()

    alone(check)


def test_what_a_killed_process_leaves_is_rendered_here_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def check() -> None:
        here = os.getpid()

        def die(number: int) -> None:
            if number == ODD and os.getpid() != here:
                os.kill(os.getpid(), signal.SIGKILL)

        assert published(tmp_path / "killed", units(die), 2) == published(tmp_path / "whole", units(), 1)
        assert not has_children()
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert re.fullmatch(r"process \d+ ended with signal 9; .*", caplog.records[0].getMessage())

    alone(check)


def test_a_process_that_lives_without_its_pipe_is_not_waited_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def check() -> None:
        here = os.getpid()

        def hang(number: int) -> None:
            if number == ODD and os.getpid() != here:
                os.closerange(3, 1024)
                time.sleep(5)

        assert published(tmp_path / "hanging", units(hang), 2) == published(tmp_path / "whole", units(), 1)
        assert not has_children()
        assert "ended with signal 9" in caplog.text

    alone(check)


def test_what_no_process_may_be_started_for_is_rendered_here_and_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse() -> int:
        raise BlockingIOError("no further process")

    def check() -> None:
        whole = published(tmp_path / "whole", units(), 1)
        monkeypatch.setattr(os, "fork", refuse)
        assert published(tmp_path / "refused", units(), 2) == whole
        assert {record.getMessage() for record in caplog.records} == {
            "no process could be started (no further process); its work is done here"
        }

    alone(check)


def test_a_fault_in_a_process_is_raised_here_and_leaves_the_former_edition(tmp_path: Path) -> None:
    def check() -> None:
        published(tmp_path, units()[:3], 1)
        former = open_edition(tmp_path / "current.json").digest

        def fail(number: int) -> None:
            if number == ODD:
                raise RuntimeError("the template is broken")

        with pytest.raises(RuntimeError, match="the template is broken"):
            published(tmp_path, units(fail), 3)
        assert open_edition(tmp_path / "current.json").digest == former
        assert not list(tmp_path.glob("*.part"))
        assert not has_children()

    alone(check)


def test_what_a_unit_reads_is_looked_at_by_the_process_that_renders_it(tmp_path: Path) -> None:
    def check() -> None:
        looked_at: list[int] = []

        def later(number: int, unit: RenderUnit) -> RenderUnit:
            def fingerprint() -> bytes:
                looked_at.append(number)
                return unit.fingerprint

            return RenderUnit(fingerprint, unit.render, f"group {number}")

        works = [later(number, unit) for number, unit in enumerate(units())]
        published(tmp_path / "first", works, 2)
        assert looked_at == list(range(MIN_UNITS_TO_FORK)), "the others were told by the processes that rendered them"
        again = publish(works, tmp_path / "first", Notes(site_config(), SHELLS), {}, processes=2)
        assert (again.rendered, again.reused) == (0, COUNT)
        assert sorted(looked_at) == list(range(COUNT)), "each once"

    alone(check)
