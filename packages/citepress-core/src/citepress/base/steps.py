"""Steps of long work, which a listener may show to people.

The listener is called by the work and by no thread of its own: a process with a second thread forks none that render.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, str], None]
"""Takes what is done, and to what: ``reading``, ``content/posts/a.md``."""
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
"""What this thread calls; another thread that works has none of it."""


def step(doing: str, what: str) -> None:
    """Say that the work goes on: called often, so a listener is to be quick."""
    if listener := _listener.get():
        listener(doing, what)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call the listener at each step of the work inside, after the listeners that are already there."""
    former = _listener.get()

    def both(doing: str, what: str) -> None:
        if former:
            former(doing, what)
        listener(doing, what)

    token = _listener.set(both)
    try:
        yield
    finally:
        _listener.reset(token)
