"""Reads what hosts answered in a process of its own: ``python -m …``, pages on standard input, texts on output.

A page can be written so that a parser takes hours over it, all memory, or the process that it runs in: 200,000
attributes of one element are enough. Here that ends one reading, whose page then has no text.
"""

import json
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from multiprocessing.connection import wait
from typing import Any, BinaryIO

from citepress.base import clock
from citepress_sources.readable import ReadableText, readable, whole_text

CPU_S = 10
"""Seconds of the processor that one page may take."""
LOOK_S = 1.0
"""Seconds between two looks at whether the process is still alive."""
WALL_S = 120.0
"""Seconds on the clock, for a process that does nothing at all: on a busy machine a page may take that long."""
MAX_READ_ATTEMPTS = 3
"""How often a page is read where each process is killed from elsewhere."""
MAX_MEMORY_BYTES = 2_147_483_648
"""Bytes of memory of the process."""


class PageReader:
    """Reads one page after the other; safe to share between threads."""

    def __init__(self, cpu_s: int = CPU_S) -> None:
        """The process begins with the first page, because many runs have none to read."""
        self._cpu_s = cpu_s
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def readable(self, fields: Mapping[str, str], body: bytes, url: str) -> ReadableText:
        """The readable text of an answer; empty for one that cannot be read within the bounds."""
        return ReadableText(**self._asked({"fields": dict(fields), "url": url}, body))

    def whole_text(self, fields: Mapping[str, str], body: bytes) -> str:
        """All text of an answer; empty for one that cannot be read within the bounds."""
        return str(self._asked({"fields": dict(fields)}, body).get("text", ""))

    def close(self) -> None:
        """End the process; another page would begin it again."""
        with self._turn:
            self._end()

    def _asked(self, about: Mapping[str, object], body: bytes) -> dict[str, Any]:
        """What the process says of a page; nothing where it ended over it.

        One that was killed, as by a system without memory, says nothing of the page, which is read by another.
        """
        line = json.dumps({**about, "size": len(body)}).encode() + b"\n"
        with self._turn:
            for _ in range(MAX_READ_ATTEMPTS):
                process, began = self._started(), clock.seconds()
                try:
                    return _answer(process, line + body)
                except (OSError, ValueError):
                    by_us = clock.seconds() - began >= WALL_S
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(LOOK_S)
                    code = process.returncode
                    self._end()
                    if by_us or code != -signal.SIGKILL:
                        break
        return {}

    def _started(self) -> subprocess.Popen[bytes]:
        """The process, begun where there is none."""
        if self._process is None:
            command = [sys.executable, "-P", "-m", __name__, str(self._cpu_s)]
            self._process = subprocess.Popen(  # noqa: S603  (this module)
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        return self._process

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(OSError):  # what was not read of a page is flushed
                    pipe.close()
        self._process.wait()
        self._process = None


def _answer(process: subprocess.Popen[bytes], page: bytes) -> dict[str, Any]:
    """Raises ``OSError`` or ``ValueError`` where the process has ended, or did not answer in time."""
    pages, texts = process.stdin, process.stdout
    if pages is None or texts is None:
        raise OSError("the process has no pipes")
    # A process that stands still takes no time of the processor, and one that was forked meanwhile may hold its pipes.
    watchdog = threading.Timer(WALL_S, process.kill)
    watchdog.start()
    try:
        pages.write(page)
        pages.flush()
        while not wait([texts.fileno()], LOOK_S):
            if process.poll() is not None:
                raise OSError("the process has ended")
        said = json.loads(texts.readline())
    finally:
        watchdog.cancel()
    return said if isinstance(said, dict) else {}


def main(cpu_s: int, pages: BinaryIO, texts: BinaryIO) -> None:
    """Read pages until there are no more."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    for line in pages:
        about = json.loads(line)
        used = resource.getrusage(resource.RUSAGE_SELF)
        # Past the limit the system ends the process, in whatever library it is.
        limit = int(used.ru_utime + used.ru_stime) + cpu_s + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        texts.write(json.dumps(_read(about, pages.read(about["size"]))).encode() + b"\n")
        texts.flush()


def _read(about: Mapping[str, Any], body: bytes) -> dict[str, str]:
    """What a page reads as; nothing where the libraries that read it fail at it."""
    try:
        if "url" in about:
            return asdict(readable(about["fields"], body, about["url"]))
        return {"text": whole_text(about["fields"], body)}
    except Exception:  # noqa: BLE001  (whatever a page makes of a parser)
        return {}


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.stdin.buffer, sys.stdout.buffer)
