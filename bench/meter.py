"""Processor seconds and memory of the whole process tree of a command or server, from /proc (Linux)."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
PAUSE = 0.1
"""Seconds between two looks at the memory of a command."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a command took."""

    cpu: float
    """Seconds of the processor, user and system."""
    wall: float
    peak: float
    """Megabytes resident in the whole tree at its highest, pages that its processes share counted in each."""
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
    """Seconds that the threads of a process tree have run, user and system; what ended before counts no more."""
    threads = (thread for process in family(pid) for thread in _listed(Path(f"/proc/{process}/task")))
    return sum(int((_read(thread / "schedstat").split() or ["0"])[0]) for thread in threads) / 1e9


def memory(pid: int) -> float:
    """Megabytes resident in a process tree."""
    return sum(resident(process) for process in family(pid))


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
