"""``observations.jsonl``: what checks of the cited sources found, a line for each."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile

from pydantic import ValidationError

from citepress.base.canonical import json_bytes
from citepress.content import files
from citepress.content.files import ContentFile
from citepress.content.parsed import Parsed
from citepress.contract.fault import BAD_VALUE, Fault, Span
from citepress.contract.observation import Observation

OBSERVATIONS_FILE = "observations.jsonl"
OBSERVATIONS_BYTES = 268_435_456
MAX_LINE_FAULTS = 20
"""Lines of one file that are reported."""
HINT = "take the line out; the next check of the sources writes it anew"


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """The observations of a folder."""

    by_url: Mapping[str, Observation] = field(default_factory=dict)
    """By the normalised address of the source."""
    by_line: Mapping[bytes, Observation] = field(default_factory=dict)
    """By the line that holds it, so that a file that is read again is parsed only where it differs."""


NO_OBSERVATIONS = Observations()
"""Those of a folder without the file."""


def read_observations(root: Path, file: ContentFile, former: Observations = NO_OBSERVATIONS) -> Parsed[Observations]:
    """The observations of a file; a line that cannot be read is a fault. Raises ``Faults``."""
    by_url: dict[str, Observation] = {}
    by_line: dict[bytes, Observation] = {}
    faults: list[Fault] = []
    for number, line in enumerate(files.read_bytes(root, file, OBSERVATIONS_BYTES).split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            observation = former.by_line.get(line) or Observation.model_validate_json(line)
        except ValidationError as error:
            faults += [_fault(number, line, error)] if len(faults) < MAX_LINE_FAULTS else []
            continue
        by_url[observation.url] = by_line[line] = observation
    return Parsed(Observations(by_url, by_line), tuple(faults))


def _fault(number: int, line: bytes, error: ValidationError) -> Fault:
    first = error.errors(include_url=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"]))
    message = f"{where}: {first['msg']}" if where else str(first["msg"])
    return Fault.at(
        BAD_VALUE, Span(OBSERVATIONS_FILE, number, 1, line[:400].decode("utf-8", "replace")), message[:300], HINT
    )


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
