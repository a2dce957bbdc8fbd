"""``observations.jsonl``: what checks of the cited sources found, a line for each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

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
