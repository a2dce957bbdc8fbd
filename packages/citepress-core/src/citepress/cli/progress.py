"""Progress of what takes longer than a second: on standard error, and only where somebody watches."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from citepress.base import clock
from citepress.base.steps import listening
from citepress.cli.console import err, is_watched

DRAW_PAUSE_S = 0.1
"""Seconds between two drawings of a line that is drawn at steps."""


@contextmanager
def working(what: str) -> Iterator[None]:
    """A line that says what is being done and for how long; it is gone when it is done."""
    if not is_watched():
        yield
        return
    with _line(what):
        yield


@contextmanager
def building(what: str) -> Iterator[None]:
    """The same for work that may fork: the line is drawn at the steps of the work, and by no thread."""
    if not is_watched():
        yield
        return
    with _line(what, threaded=False) as bar:
        drawn = clock.seconds()

        def draw(_doing: str, _what: str) -> None:
            nonlocal drawn
            if clock.seconds() - drawn >= DRAW_PAUSE_S:
                bar.refresh()
                drawn = clock.seconds()

        with listening(draw):
            yield


@contextmanager
def _line(what: str, *, threaded: bool = True) -> Iterator[Progress]:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, auto_refresh=threaded) as bar:
        bar.add_task(what, total=None)
        yield bar
