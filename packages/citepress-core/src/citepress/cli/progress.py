"""Progress of what takes longer than a second: on standard error, and only where somebody watches."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

from citepress.base import clock
from citepress.base.steps import listening
from citepress.cli.console import err, is_watched

DRAW_PAUSE_S = 0.1
"""Seconds between two drawings of a line that is drawn at steps."""


def working(what: str) -> AbstractContextManager[object]:
    """A line that says what is being done and for how long; it is gone when it is done."""
    return _line(what) if is_watched() else nullcontext()


@contextmanager
def building(what: str, steps: int | None = None) -> Iterator[None]:
    """The same for work that may fork: drawn at its steps and by no thread, with a bar where ``steps`` are counted."""
    if not is_watched():
        yield
        return
    with _line(what, steps, threaded=False) as bar:
        drawn = clock.seconds()

        def draw(_doing: str, _what: str) -> None:
            nonlocal drawn
            bar.advance(bar.task_ids[0])
            if clock.seconds() - drawn >= DRAW_PAUSE_S:
                bar.refresh()
                drawn = clock.seconds()

        with listening(draw):
            yield


@contextmanager
def _line(what: str, steps: int | None = None, *, threaded: bool = True) -> Iterator[Progress]:
    counted = (BarColumn(), TaskProgressColumn()) if steps else ()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), *counted, TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, auto_refresh=threaded) as bar:
        bar.add_task(what, total=steps)
        yield bar
