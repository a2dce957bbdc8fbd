"""Commands as a shell runs them, in processes that were forked with the package imported: importing takes seconds."""

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from support.preloaded import start

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
