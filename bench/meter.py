"""Processor seconds and memory of the whole process tree of a command or server, from /proc (Linux)."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")
PAUSE = 0.5
"""Seconds between two looks at the memory of a command: each stops its processes for a moment, in which their pages
are counted."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a command took."""

    cpu: float
    """Seconds of the processor, user and system."""
    wall: float
    peak: float
    """Megabytes of the whole tree at its highest, as ``memory`` counts them."""
    output: str


def run(command: Sequence[str | Path], cwd: Path | None = None, environ: Mapping[str, str] | None = None) -> Spent:
    """Run a command to its end. Raises ``SystemExit`` with what it said when it fails."""
    before, start, peak = os.times(), time.perf_counter(), 0.0
    environment = {**os.environ, **environ} if environ else None
    with subprocess.Popen(
        [str(part) for part in command], cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        while True:
            try:
                output, _ = process.communicate(timeout=PAUSE)
                break
            except subprocess.TimeoutExpired:
                peak = max(peak, memory(process.pid))
    after = os.times()
    if process.returncode:
        raise SystemExit(f"{command[0]} failed:\n{output.decode(errors='replace')[-2000:]}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Spent(cpu, time.perf_counter() - start, peak, output.decode(errors="replace"))


def family(pid: int) -> Iterator[int]:
    """A process and everything that it started."""
    yield pid
    for task in _listed(Path(f"/proc/{pid}/task")):
        for child in _read(task / "children").split():
            yield from family(int(child))


def cpu(pid: int) -> float:
    """Seconds that a process tree has run, user and system, with processes that have ended and were waited for."""
    processes = list(family(pid))
    threads = (thread for process in processes for thread in _listed(Path(f"/proc/{process}/task")))
    running = sum(int((_read(thread / "schedstat").split() or ["0"])[0]) for thread in threads) / 1e9
    return running + sum(_ended(process) for process in processes)


def _ended(pid: int) -> float:
    """Seconds that the ended children of a process have run, and theirs (``cutime`` and ``cstime`` of proc(5))."""
    fields = _read(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return sum(int(ticks) for ticks in fields[13:15]) / TICKS


def memory(pid: int) -> float:
    """Megabytes of a process tree; a page that several processes share counts once, in equal parts for each."""
    return sum(_proportional(process) for process in family(pid))


def _proportional(pid: int) -> float:
    lines = _read(Path(f"/proc/{pid}/smaps_rollup")).splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1e3


def resident(pid: int) -> float:
    """Megabytes resident in one process."""
    return int((_read(Path(f"/proc/{pid}/statm")).split() or ["0", "0"])[1]) * PAGE / 1e6


def unshared(pid: int) -> float:
    """Megabytes that one process has for itself and that no file backs."""
    lines = _read(Path(f"/proc/{pid}/smaps_rollup")).splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty")) / 1e3


def until(ready: Callable[[], bool], seconds: float, what: str, pause: float = 0.02) -> None:
    """Wait until something is so. Raises ``SystemExit`` when it is not in time."""
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise SystemExit(f"{what} was not ready after {seconds:.0f} seconds")
        time.sleep(pause)


def load() -> str:
    """How busy the machine is: beside figures, so that a reader knows what they are worth."""
    return f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}"


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""
