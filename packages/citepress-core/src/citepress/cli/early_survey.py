"""Surveys a content folder in another process while this one imports what serving needs."""

import gc
import multiprocessing
import signal
from multiprocessing.connection import Connection
from pathlib import Path

from citepress.base.cores import usable_cores
from citepress.content.files import fingerprint


class EarlySurvey:
    """The survey of a folder that another process makes."""

    def __init__(self, root: Path) -> None:
        """Begin. Call this before there are threads and connections, which the process would copy."""
        self._line, far_end = multiprocessing.Pipe(duplex=False)
        self._process = multiprocessing.Process(target=_survey, args=(root, far_end), name="survey", daemon=True)
        self._process.start()
        far_end.close()

    def fingerprint(self) -> str | None:
        """What ``files.fingerprint`` says of the folder; ``None`` where the process failed, and the second time."""
        try:
            return self._line.recv_bytes().decode()
        except (EOFError, OSError):
            return None
        finally:
            self._line.close()
            self._process.join()


def early_survey(root: Path) -> EarlySurvey | None:
    """A survey in another process, where there is a second core."""
    return EarlySurvey(root) if usable_cores() > 1 else None


def _survey(root: Path, line: Connection) -> None:
    """Send the fingerprint. Whoever waits for it says what is wrong with the folder."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process, and says so once
    gc.disable()  # it ends before anything could be collected
    line.send_bytes(fingerprint(root).encode())
