"""Rendering in several processes: the same leaves in the same order as in one, in less time.

Processes are forked for one batch after the other, so units need not be pickled, and what a process copies of the
archive by touching it is given back with the batch. Each renders every n-th run of units and sends the prepared leaves
through a pipe, which holds it back while it is ahead. What no process sends, because one was killed, could not be
started or met a template that fails, this process renders itself: then the fault is raised here, as it is without any
of this.
"""

import fcntl
import gc
import logging
import os
import pickle
import signal
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from itertools import chain, islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import NoReturn, TypeAlias

from citepress.base.cores import is_single_threaded
from citepress.edition.compiler import RenderUnit
from citepress.edition.leaf import Leaf
from citepress.edition.pack_writer import PreparedLeaf

log = logging.getLogger(__name__)

MIN_UNITS_TO_FORK = 500
"""Units that are rendered here before any process is forked: fewer are done sooner than processes are started, and
what is derived for all pages is derived once, in time to be copied."""
EACH, MAX_BATCH_UNITS = 1000, 8000
"""Units of the first batch for each process, which is the smallest, and of the largest one."""
BATCH_BYTES = 32 * 1024 * 1024
"""Bytes of leaves that a process is to render in a batch, some seconds of work: a fork of an archive of gigabytes takes
a tenth of a second, and some units take a hundred times as long as others."""
RUN = 8
"""Units that are sent together."""
PIPE_BYTES = 1 << 20
"""How far a process may be ahead."""
NamedUnit: TypeAlias = tuple[str, RenderUnit]
"""A unit with the name of its group."""
Done: TypeAlias = tuple[bytes, Sequence[PreparedLeaf]]
"""A unit that is rendered: its fingerprint, and its leaves."""
Rendered: TypeAlias = tuple[str, bytes, Sequence[PreparedLeaf]]
"""The same behind the name of its group."""
Prepare: TypeAlias = Callable[[Leaf], PreparedLeaf]


def rendered_units(units: Iterable[NamedUnit], prepare: Prepare, processes: int) -> Generator[Rendered, None, None]:
    """Each unit with its fingerprint and its leaves, in the order given; to be closed by who does not read to the end.

    Raises what a rendering raises.
    """
    waiting = iter(units)
    for group, unit in islice(waiting, MIN_UNITS_TO_FORK) if processes > 1 else waiting:
        yield group, *_done(unit, prepare)
    size = EACH
    batch = list(islice(waiting, size * processes))
    while len(batch) >= MIN_UNITS_TO_FORK and is_single_threaded():
        following: list[NamedUnit] = []
        rendered_bytes = 0
        with closing(_rendered_by_processes(batch, prepare, processes)) as rendered:
            for done in rendered:
                yield done
                rendered_bytes += sum(leaf.size for leaf in done[2])
                following += islice(waiting, 1)  # the next batch is made while this one is rendered
        size = _next_size(size, rendered_bytes // processes)
        count = size * processes
        if len(following) > count:
            waiting = chain(following[count:], waiting)
        batch = [*following[:count], *islice(waiting, max(0, count - len(following)))]
    for part in (batch, waiting):
        for group, unit in part:
            yield group, *_done(unit, prepare)


def _next_size(size: int, rendered_bytes: int) -> int:
    """Units of the next batch for each process, where it rendered so many bytes for the last one."""
    wanted = size * BATCH_BYTES // (rendered_bytes + 1)
    return min(max(wanted, EACH), 2 * size, MAX_BATCH_UNITS)


def _done(unit: RenderUnit, prepare: Prepare) -> Done:
    return unit.fingerprint, [prepare(leaf) for leaf in unit.render()]


def _rendered_by_processes(
    batch: Sequence[NamedUnit], prepare: Prepare, processes: int
) -> Generator[Rendered, None, None]:
    """The units of a batch, rendered by processes that end with it."""
    runs = [batch[start : start + RUN] for start in range(0, len(batch), RUN)]
    renderers: list[_RenderProcess] = []
    try:
        for place in range(processes):
            renderers.append(_RenderProcess(runs[place::processes], prepare, [other.receiver for other in renderers]))
        for number, run in enumerate(runs):
            received = renderers[number % processes].received()
            for place, (group, unit) in enumerate(run):
                yield group, *(received[place] if received else _done(unit, prepare))
    finally:
        for renderer in renderers:
            renderer.end()


class _RenderProcess:
    """A process that renders runs of units and sends them, each as one message; it ends where one fails."""

    def __init__(self, runs: Sequence[Sequence[NamedUnit]], prepare: Prepare, others: Sequence[Connection]) -> None:
        """Fork it; ``others`` are the pipes of those that were forked before, which it must not hold open."""
        self.receiver, sender = Pipe(duplex=False)
        with suppress(OSError):  # as much as the system allows
            fcntl.fcntl(sender.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        signals = {signal.SIGINT, signal.SIGTERM}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # no handler of this process runs in the other
        try:
            self._pid = os.fork()
            if not self._pid:
                _render(runs, prepare, sender, [self.receiver, *others])
        except OSError as error:
            self.receiver.close()
            log.warning("no rendering process could be started (%s); its units are rendered here", error)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            sender.close()

    def received(self) -> list[Done] | None:
        """What it made of each unit of its next run; ``None`` where it has ended without that."""
        if self.receiver.closed:
            return None
        try:
            done: list[Done] = pickle.loads(self.receiver.recv_bytes())  # noqa: S301  (of our own process)
        except (EOFError, OSError):
            self._lost()
            return None
        return done

    def _lost(self) -> None:
        """End it, so that no live one is waited for, and say how it ended; one that did so before keeps its status."""
        self.receiver.close()
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._pid, signal.SIGKILL)
            code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
            ending = f"signal {-code}" if code < 0 else f"status {code}"
            log.warning("rendering process %d ended with %s; its units are rendered here", self._pid, ending)

    def end(self) -> None:
        """End it, if it has not ended, and forget it."""
        if self.receiver.closed:
            return
        self.receiver.close()
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)


def _render(
    runs: Sequence[Sequence[NamedUnit]], prepare: Prepare, sender: Connection, receivers: Iterable[Connection]
) -> NoReturn:
    """What a process does: it leaves without running anything that its parent would run at its end."""
    status = 1
    try:
        # A terminal interrupts all of its processes: the parent ends this one. Without it nobody holds the other end
        # of the pipe, so that sending fails.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
        for receiver in receivers:
            receiver.close()
        gc.freeze()  # a collection would touch, and so copy, everything that is shared
        for run in runs:
            sender.send_bytes(pickle.dumps([_done(unit, prepare) for _, unit in run], pickle.HIGHEST_PROTOCOL))
        status = 0
    finally:
        os._exit(status)
