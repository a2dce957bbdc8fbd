"""Progress of what takes longer than a second: on standard error, and only where somebody watches."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from citepress.cli.console import err, is_watched


@contextmanager
def working(what: str) -> Iterator[None]:
    """A line that says what is being done and for how long; it is gone when it is done."""
    if not is_watched():
        yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        bar.add_task(what, total=None)
        yield
