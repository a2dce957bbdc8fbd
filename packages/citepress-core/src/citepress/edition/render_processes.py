"""Rendering in several processes: the same leaves in the same order as in one, in less time.

Processes are forked for one batch after the other, so what one copies of the archive by touching it is given back with
the batch. What no process sends, because one was killed, could not be started or met a template that fails, this
process renders itself: then the fault is raised here, as it is without any of this.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from itertools import chain, islice
from typing import TypeAlias

from citepress.base.cores import is_single_threaded
from citepress.base.forked_processes import done_by_processes
from citepress.base.memory import give_back
from citepress.edition.compiler import RenderUnit
from citepress.edition.leaf import Leaf
from citepress.edition.pack_writer import PreparedLeaf

MIN_UNITS_TO_FORK = 500
"""Units that are rendered here before any process is forked: fewer are done sooner than processes are started, and
what is derived for all pages is derived once, in time to be copied."""
EACH = 1024
"""Units of a batch for each process, some seconds of work. What a process holds grows with each, and after each fork
this process copies what it touches."""
RUN = 8
"""Units that are sent together."""
NamedUnit: TypeAlias = tuple[str, RenderUnit]
"""A unit with the name of its group."""
Rendered: TypeAlias = tuple[str, bytes, Sequence[PreparedLeaf]]
"""A unit that is rendered: the name of its group, its fingerprint, and its leaves."""
Prepare: TypeAlias = Callable[[Leaf], PreparedLeaf]


def rendered_units(units: Iterable[NamedUnit], prepare: Prepare, processes: int) -> Generator[Rendered, None, None]:
    """Each unit with its fingerprint and its leaves, in the order given; to be closed by who does not read to the end.

    Raises what a rendering raises.
    """
    waiting = iter(units)
    for group, unit in islice(waiting, MIN_UNITS_TO_FORK) if processes > 1 else waiting:
        yield group, *_done(unit, prepare)
    count = EACH * processes
    batch = list(islice(waiting, count))
    while len(batch) >= MIN_UNITS_TO_FORK and is_single_threaded():
        following: list[NamedUnit] = []
        give_back()  # free pages of this process would be those of each fork
        work = done_by_processes(batch, lambda named: _done(named[1], prepare), RUN, (), processes)
        with closing(work) as sent:
            for (group, unit), done in zip(batch, sent, strict=True):
                yield group, *(done or _done(unit, prepare))
                following += islice(waiting, 1)  # the next batch is made while this one is rendered
        batch = [*following, *islice(waiting, count - len(following))]
    for group, unit in chain(batch, waiting):
        yield group, *_done(unit, prepare)


def _done(unit: RenderUnit, prepare: Prepare) -> tuple[bytes, Sequence[PreparedLeaf]]:
    return unit.fingerprint, [prepare(leaf) for leaf in unit.render()]
