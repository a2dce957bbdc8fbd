"""Commands as a shell runs them, in processes that were forked with the package imported: importing takes seconds."""

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from support.preloaded import ForkedProcess, start

LONGEST_S = 300.0
MOST_INPUT = 4096
"""Bytes of standard input, which a pipe has to hold."""


def without_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without the settings of citepress."""
    return {name: value for name, value in environment.items() if not name.startswith("CITEPRESS_")}


def citepress(
    *words: str, directory: Path | None = None, standard_input: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end: its exit code, and what it wrote.

    It runs in ``directory``, with our own environment and these variables in place of all settings.
    """
    assert len(standard_input) <= MOST_INPUT
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors, _pipe(standard_input) as source:
        streams = (source, output.fileno(), errors.fileno())
        variables = {**without_settings(os.environ), **environment}
        code = start("citepress.cli:main", words, variables, streams=streams, directory=directory).wait(LONGEST_S)
        written = []
        for file in (output, errors):
            file.seek(0)
            written.append(file.read().decode())
        return subprocess.CompletedProcess(["citepress", *words], code, *written)


@dataclass(frozen=True)
class Conversation:
    """A command that runs, with the ends of its pipes."""

    process: ForkedProcess
    stdin: BinaryIO
    stdout: BinaryIO
    stderr: BinaryIO

    def finish(self, content: bytes = b"") -> tuple[bytes, bytes]:
        """Write the last input, and read what is left of output and errors, each of which a pipe has to hold."""
        with contextlib.suppress(BrokenPipeError):  # whoever refuses to start reads nothing
            self.stdin.write(content)
            self.stdin.flush()
        self.stdin.close()
        written = self.stdout.read(), self.stderr.read()
        self.process.wait(LONGEST_S)
        return written


@contextlib.contextmanager
def conversation(*words: str) -> Iterator[Conversation]:
    """Run a command, to talk to it; it has ended at the end."""
    pipes = [os.pipe() for _ in range(3)]
    (source, stdin), (stdout, output), (stderr, errors) = pipes
    process = start("citepress.cli:main", words, without_settings(os.environ), streams=(source, output, errors))
    for end in (source, output, errors):
        os.close(end)
    with os.fdopen(stdin, "wb") as near, os.fdopen(stdout, "rb") as replies, os.fdopen(stderr, "rb") as messages:
        yield Conversation(process, near, replies, messages)
    process.wait(LONGEST_S)


@contextlib.contextmanager
def _pipe(content: bytes) -> Iterator[int]:
    """The end of a pipe that this content can be read from."""
    far, near = os.pipe()
    try:
        os.write(near, content)
        os.close(near)
        yield far
    finally:
        os.close(far)
