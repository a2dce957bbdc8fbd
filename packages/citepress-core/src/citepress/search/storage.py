"""The folder of the search index: a file of facts that names one finished version of the index.

A version is written in a folder of its own and becomes current when the file of facts is replaced, so a process that
is killed leaves the former version in place. Readers that have the former one open keep it.
"""

import os
import shutil
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any

import orjson

from citepress.base import fast_json
from citepress.base.package_digest import digest_of
from citepress.base.replaced_file import replace_file
from citepress.content.text_language import FREQUENT
from citepress.extension import installed_with
from citepress.search.frequencies import Leftovers
from citepress.search.index_writer import SegmentLevel
from citepress.search.models import Stats
from citepress.search.stored_document import DETAILS
from citepress.search.wholeness import EngineError, is_marked

FACTS = "facts.json"
ENGINE, LEFTOVERS, RECORDS_FILE = "engine", "leftovers.json", "records.json"
"""In the folder of a version: the engine's files, what its statistics count too much, and what the next build needs."""
FORMAT_VERSION = 9
"""Version of the folder's format; an index of another version is rebuilt."""
WORDS = ""
"""The mode in which no meanings are compared."""
LOCKS = ".lock"
VECTOR_FILES = ".bin"
"""Ending of the files beside the versions in which an extension keeps vectors."""
DIGESTS = 2**128
FACTS_LOCK = Lock()
"""Held while the facts are read and written: extensions measure beside the builds."""


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """What an index is, and where it is."""

    current: str
    """Name of the folder of the current version."""
    edition: str
    """Digest of the edition that it was made with; may be empty."""
    stats: Stats
    code: str
    """Digest of the code that wrote it."""
    measured: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What extensions measured: by ``WORDS`` or the name of a mode, then by the name of the measurement."""
    measured_on: str = ""
    """Digest of the content that they measured."""
    measured_by: str = ""
    """Digest of the code that measured it."""


@dataclass(slots=True)
class RecordState:
    """One record of the index, as the next build compares it."""

    key: str
    """Digest of what its sheet is made from."""
    digest: str
    """Digest of its sheet."""
    level: int
    """The level that holds it."""


@dataclass(slots=True)
class IndexState:
    """What the next build needs to know of an index."""

    records: dict[str, RecordState] = field(default_factory=dict)
    levels: list[SegmentLevel] = field(default_factory=list)
    languages: Counter[str] = field(default_factory=Counter)
    """Number of records in each language."""
    tokens: Counter[str] = field(default_factory=Counter)
    """Terms of all records in each field with a length."""
    clusters: int = 0
    """Groups of near-duplicates."""

    @property
    def digest(self) -> str:
        """Digest of the content of all records. Raises ``ValueError`` where that of one is damaged."""
        return f"{sum(int(record.digest, 16) for record in self.records.values()) % DIGESTS:032x}"

    def leftovers(self) -> Leftovers:
        """What the engine's statistics count besides the records."""
        frequencies: Counter[str] = Counter()
        for level in self.levels:
            frequencies.update(level.replaced)
        return Leftovers(sum(level.documents for level in self.levels) - len(self.records), frequencies)


@cache
def search_code() -> str:
    """A digest of the modules that analyse and write records: what other code wrote is written anew."""
    modules = (file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
    further = (digest_of(source.package) for source in installed_with(["vectors", DETAILS]))
    stop_words = repr(FREQUENT).encode()
    return blake2b(b"\0".join((*modules, *further, stop_words)), digest_size=16).hexdigest()


def read_facts(folder: Path) -> IndexFacts:
    """The facts of an index. Raises ``EngineError`` when there is none of this version."""
    try:
        raw = fast_json.loads((folder / FACTS).read_bytes())
        if raw["version"] != FORMAT_VERSION:
            raise EngineError(f"{folder.name} holds a search index of version {raw['version']}, not {FORMAT_VERSION}")
        texts = {name: str(raw[name]) for name in ("current", "edition", "code", "measured_on", "measured_by")}
        measured = {str(mode): dict(results) for mode, results in raw["measured"].items()}
        return IndexFacts(stats=Stats.model_validate(raw["stats"]), measured=measured, **texts)
    except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:  # also of a model, and of JSON
        raise EngineError(f"{folder.name} holds no search index of this version: {error}") from error


def is_damaged(folder: Path) -> bool:
    """Whether a reader met damage in the current version of an index."""
    with suppress(EngineError):
        return is_marked(folder / read_facts(folder).current)
    return False


def write_facts(folder: Path, facts: IndexFacts) -> None:
    """Make a version current, in one step."""
    raw = {"version": FORMAT_VERSION, **asdict(facts), "stats": facts.stats.model_dump(mode="json")}
    # Last of all: readers follow this file, and everything that it names has to be there.
    _replace(folder / FACTS, raw)


def next_version(folder: Path) -> Path:
    """An empty folder for the next version; what a killed build left behind is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    current = _current(folder)
    number = int(current) + 1 if current.isdecimal() else 1
    sweep(folder, {current})
    version = folder / f"{number:06}"
    (version / ENGINE).mkdir(parents=True)
    return version


def sweep(folder: Path, used: set[str]) -> None:
    """Remove every version but these, and what other formats of the index left behind."""
    for place in folder.iterdir():
        if place.name not in used and place.name != FACTS and place.suffix != VECTOR_FILES:
            shutil.rmtree(place) if place.is_dir() and not place.is_symlink() else place.unlink()


def remove_vectors(folder: Path) -> None:
    """Remove what an extension keeps beside the versions."""
    for file in folder.glob(f"*{VECTOR_FILES}"):
        file.unlink(missing_ok=True)


def _current(folder: Path) -> str:
    with suppress(EngineError):
        return read_facts(folder).current
    return ""


def link_engine(former: Path, version: Path) -> None:
    """Give a version the segments of a former one; segment files never change, so they are linked."""
    for file in (former / ENGINE).iterdir():
        # A lock is the writer's of its own version; linked, it would be one for both.
        if file.name.endswith(LOCKS):
            continue
        target = version / ENGINE / file.name
        try:
            os.link(file, target)
        except OSError:  # a file system without links
            shutil.copyfile(file, target)


def read_leftovers(version: Path) -> Leftovers:
    """What the statistics of this version's engine count besides its records. Raises ``EngineError``."""
    try:
        raw: Mapping[str, Any] = fast_json.loads((version / LEFTOVERS).read_bytes())
        return Leftovers(int(raw["documents"]), dict(raw["frequencies"]))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise EngineError(f"{version.name} holds no search index of this version: {error}") from error


def read_state(version: Path) -> IndexState:
    """What the next build needs to know of a version. Raises ``EngineError``."""
    try:
        raw = fast_json.loads((version / RECORDS_FILE).read_bytes())
        return IndexState(
            {id_: RecordState(*values) for id_, values in raw["records"].items()},
            [SegmentLevel(r, d, Counter(t), Counter(words)) for r, d, t, words in raw["levels"]],
            Counter(raw["languages"]),
            Counter(raw["tokens"]),
            raw["clusters"],
        )
    except (OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise EngineError(f"{version.name} holds no search index of this version: {error}") from error


def write_state(version: Path, state: IndexState) -> None:
    """Keep what readers (``LEFTOVERS``) and the next build (``RECORDS_FILE``) need beside the engine's files."""
    leftovers = state.leftovers()
    _replace(version / LEFTOVERS, {"documents": leftovers.documents, "frequencies": leftovers.frequencies})
    levels = [[level.records, level.documents, level.tokens, level.replaced] for level in state.levels]
    records = {id_: [record.key, record.digest, record.level] for id_, record in state.records.items()}
    counts = {"languages": state.languages, "tokens": state.tokens, "clusters": state.clusters}
    _replace(version / RECORDS_FILE, {"records": records, "levels": levels, **counts})


def _replace(file: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file in one step."""
    replace_file(file, orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE))
