"""Work that forked processes share: what they make of it in the order given; what one fails at is left to do here.

Processes are forked, so what they work on need not be pickled. Each does every n-th part of the work and sends what
comes of it through a pipe, which holds it back while it is ahead.
"""

import fcntl
import gc
import io
import logging
import os
import pickle
import signal
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Generic, NoReturn, TypeVar, cast

from citepress.base.cores import is_single_threaded, usable_cores

log = logging.getLogger(__name__)
T = TypeVar("T")
R = TypeVar("R")
MIN_ITEMS_TO_FORK = 400
"""Items of work from which processes are forked: fewer are done before these have begun."""
MAX_BATCH_ITEMS = 4096
"""Items for which processes are forked: what each copies by touching it is given back with the batch."""
PIPE_BYTES = 1 << 20
"""How far a process may be ahead."""


def done_by_processes(
    items: Sequence[T], work: Callable[[T], R], run: int, shared: Sequence[object] = (), processes: int = 0
) -> Generator[R | None, None, None]:
    """What processes make of each item; ``None`` for what this process has to do itself, which may be everything.

    ``run`` items are sent together; of ``shared`` objects the very same are received. To be closed as ``shared_out``.
    """
    processes = processes or usable_cores()
    if processes == 1 or len(items) < MIN_ITEMS_TO_FORK or not is_single_threaded():
        yield from [None] * len(items)
        return
    runs = [items[start : start + run] for start in range(0, len(items), run)]
    for first in range(0, len(runs), MAX_BATCH_ITEMS // run):
        batch = runs[first : first + MAX_BATCH_ITEMS // run]
        with closing(shared_out(batch, lambda some: _packed(list(map(work, some)), shared), processes)) as sent:
            for some, data in zip(batch, sent, strict=True):
                if data is None:
                    yield from [None] * len(some)
                else:
                    yield from _Receiver(data, shared).load() if shared else pickle.loads(data)  # noqa: S301  (our own)


def done_apart(work: Callable[[], R]) -> R | None:
    """What a forked process makes, whose memory ends with it; ``None`` for what this process has to do itself."""
    if not is_single_threaded():
        return None
    with closing(shared_out([work], lambda make: pickle.dumps(make(), pickle.HIGHEST_PROTOCOL), 1)) as sent:
        data = next(sent)
    return None if data is None else cast("R", pickle.loads(data))  # noqa: S301  (our own)


def _packed(results: object, shared: Sequence[object]) -> bytes:
    if not shared:
        return pickle.dumps(results, pickle.HIGHEST_PROTOCOL)
    places = {id(value): place for place, value in enumerate(shared)}

    def reduced(value: Any) -> Any:  # noqa: ANN401  (what ``__reduce_ex__`` gives)
        place = places.get(id(value))
        return value.__reduce_ex__(pickle.HIGHEST_PROTOCOL) if place is None else (shared_object, (place,))

    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = dict.fromkeys(map(type, shared), reduced)
    pickler.dump(results)
    return file.getvalue()


def shared_object(place: int) -> object:
    """Stands in what is sent for the shared object of this place."""
    raise LookupError(place)


class _Receiver(pickle.Unpickler):
    """Puts the shared objects back."""

    def __init__(self, data: bytes, shared: Sequence[object]) -> None:
        super().__init__(io.BytesIO(data))
        self._shared = shared

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401  (any object of a module)
        """The object of a name; each is looked for once a message."""
        return self._shared.__getitem__ if name == shared_object.__name__ else super().find_class(module, name)


def shared_out(parts: Sequence[T], work: Callable[[T], bytes], processes: int) -> Generator[bytes | None, None, None]:
    """What processes make of each part; ``None`` where the one that had it was killed, or failed, or never started.

    To be closed by who does not read to the end: it ends the processes. None may be forked beside a second thread.
    """
    forked: list[_ForkedProcess[T]] = []
    try:
        for place in range(processes):
            forked.append(_ForkedProcess(parts[place::processes], work, [other.receiver for other in forked]))
        for number in range(len(parts)):
            yield forked[number % processes].received()
    finally:
        for process in forked:
            process.end()


class _ForkedProcess(Generic[T]):
    """A process that sends what it makes of each of its parts as one message; it ends where one fails."""

    def __init__(self, parts: Sequence[T], work: Callable[[T], bytes], others: Sequence[Connection]) -> None:
        """Fork it; ``others`` are the pipes of those that were forked before, which it must not hold open."""
        self.receiver, sender = Pipe(duplex=False)
        with suppress(OSError):  # as much as the system allows
            fcntl.fcntl(sender.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        signals = {signal.SIGINT, signal.SIGTERM}
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # no handler of this process runs in the other
        try:
            self._pid = os.fork()
            if not self._pid:
                _work(parts, work, sender, [self.receiver, *others])
        except OSError as error:
            self.receiver.close()
            log.warning("no process could be started (%s); its work is done here", error)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            sender.close()

    def received(self) -> bytes | None:
        """What it made of its next part; ``None`` where it has ended without that."""
        if self.receiver.closed:
            return None
        try:
            return self.receiver.recv_bytes()
        except (EOFError, OSError):
            self.end(is_lost=True)
            return None

    def end(self, *, is_lost: bool = False) -> None:
        """End it, if it has not ended, and forget it; say how one ``is_lost`` ended, which keeps its status."""
        if self.receiver.closed:
            return
        self.receiver.close()
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._pid, signal.SIGKILL)
            code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
            if is_lost:
                ending = f"signal {-code}" if code < 0 else f"status {code}"
                log.warning("process %d ended with %s; its work is done here", self._pid, ending)


def _work(
    parts: Iterable[T], work: Callable[[T], bytes], sender: Connection, receivers: Iterable[Connection]
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
        for part in parts:
            sender.send_bytes(work(part))
        status = 0
    finally:
        os._exit(status)
