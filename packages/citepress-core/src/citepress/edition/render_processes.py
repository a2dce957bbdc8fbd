"""Rendering in several processes: the same leaves in the same order as in one, in less time.

Processes are forked for one batch after the other, so what one copies of the archive by touching it is given back with
the batch. What no process sends, because one was killed, could not be started or met a template that fails, this
process renders itself: then the fault is raised here, as it is without any of this.
"""

import pickle
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from itertools import chain, islice
from typing import TypeAlias

from citepress.base.cores import is_single_threaded
from citepress.base.forked_processes import shared_out
from citepress.edition.compiler import RenderUnit
from citepress.edition.leaf import Leaf
from citepress.edition.pack_writer import PreparedLeaf

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

    def work(run: Sequence[NamedUnit]) -> bytes:
        return pickle.dumps([_done(unit, prepare) for _, unit in run], pickle.HIGHEST_PROTOCOL)

    with closing(shared_out(runs, work, processes)) as sent:
        for run, data in zip(runs, sent, strict=True):
            received = pickle.loads(data) if data else None  # noqa: S301  (of our own process)
            for place, (group, unit) in enumerate(run):
                yield group, *(received[place] if received else _done(unit, prepare))
