"""Logs faults that clients can cause, bounded in length and in number for each client and cause."""

import logging
import traceback
from dataclasses import dataclass, field

from citepress.base import clock

LINE_BYTES = 1000
"""The most characters of one record, its traceback included."""
FRAMES = 6
"""Innermost frames of a traceback that are kept."""
WINDOW_SECONDS = 60.0
PER_CAUSE = 10
"""Records of one cause in a window, from all clients together; of one client there is one."""
MAX_CAUSES = 64
"""Causes that are counted separately in one window."""
OTHER = "other"


@dataclass(slots=True)
class _Window:
    """What was logged for one cause, and how much was not."""

    clients: set[str] = field(default_factory=set)
    suppressed: int = 0


class BoundedLog:
    """A logger of faults, limited to one record a minute for each client and cause, and to ten a minute for each cause.

    What is suppressed is counted, and the count is logged when the window is over and something else happens.
    """

    def __init__(self, name: str) -> None:
        self._log = logging.getLogger(name)
        self._windows: dict[str, _Window] = {}
        self._began = clock.seconds()

    def fault(self, message: str, client: str, error: BaseException | None = None, cause: str = "") -> None:
        """Log a fault that a request of ``client`` caused.

        The cause is where the error was raised unless one is named.
        """
        if clock.seconds() - self._began >= WINDOW_SECONDS:
            self._close()
        window = self._window(cause or _place(error) or message)
        if client in window.clients or len(window.clients) >= PER_CAUSE:
            window.suppressed += 1
            return
        window.clients.add(client)
        self._log.error("%s", bounded(message, error))

    def _window(self, cause: str) -> _Window:
        window = self._windows.get(cause)
        if window is None:
            window = self._windows.setdefault(cause if len(self._windows) < MAX_CAUSES else OTHER, _Window())
        return window

    def _close(self) -> None:
        """Log how many records were suppressed, and start a new window."""
        for cause, window in self._windows.items():
            if window.suppressed:
                self._log.error("suppressed in the last window: %d further faults (%.200s)", window.suppressed, cause)
        self._windows = {}
        self._began = clock.seconds()


def bounded(message: str, error: BaseException | None) -> str:
    """A message and the end of a traceback, in at most ``LINE_BYTES`` characters."""
    if error is None:
        return message[:LINE_BYTES]
    text = message[: LINE_BYTES // 3]
    room = LINE_BYTES - len(text) - 1
    trace = "".join(
        traceback.format_exception(type(error), error, error.__traceback__, limit=-FRAMES, chain=False)
    ).rstrip()
    return f"{text}\n{trace if len(trace) <= room else '…' + trace[1 - room :]}"


def _place(error: BaseException | None) -> str:
    """The type of an error, and the line that raised it."""
    if error is None:
        return ""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    line = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__} {line}"
