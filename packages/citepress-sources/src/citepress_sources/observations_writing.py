"""Writes ``observations.jsonl``."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

from citepress.base.canonical import json_bytes
from citepress.content.observations_file import OBSERVATIONS_FILE
from citepress.contract.observation import Observation


def write_observations(root: Path, observations: Iterable[Observation]) -> bool:
    """Write the file in the order of the addresses, in one step; whether it differs from the one before.

    Raises ``OSError``.
    """
    path = root / OBSERVATIONS_FILE
    data = b"".join(_lines(observations))
    if (path.read_bytes() if path.exists() else b"") == data:
        return False
    with NamedTemporaryFile(dir=root, prefix=".observations", suffix=".part", delete=False) as part:
        try:
            part.write(data)
            part.flush()
            os.fsync(part.fileno())
            Path(part.name).chmod(0o644)  # it is content, which whoever serves the folder has to read
            Path(part.name).replace(path)
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise
    return True


def _lines(observations: Iterable[Observation]) -> Iterator[bytes]:
    for observation in sorted(observations, key=lambda observation: observation.url):
        yield json_bytes(observation.model_dump(mode="json", exclude_defaults=True))
