"""What was published under a public address: names of records, and of versions of datasets with a digest of their rows.

The state folder holds them for good, so that a promise that contents break is noticed whether Git follows them or not.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import orjson

from citepress.base import fast_json
from citepress.content.folder import Folder
from citepress.contract.fault import FROZEN, Fault, Span
from citepress.history.append_log import AppendLog
from citepress.history.state_files import NAMES_FILE, REVISIONS

Version = tuple[str, int]
"""Name of a dataset, and the number of its version."""


class PublishedNames:
    """What was published of one content folder from a state folder."""

    def __init__(self, state: Path) -> None:
        """``state`` is the state folder."""
        self._log = AppendLog(state / REVISIONS / NAMES_FILE, measured=True)
        self._records: set[str] = set()
        self._versions: dict[Version, str] = {}
        self._new_records: set[str] = set()
        self._new_versions: dict[Version, str] = {}

    def forget(self) -> None:
        """Add nothing of what was new: it was not published."""
        self._new_records, self._new_versions = set(), {}

    def note(self, ids: Iterable[str]) -> None:
        """``keep`` is going to add the records of these ids."""
        self._new_records.update(ids)

    def records(self) -> frozenset[str]:
        """Ids of the records that were published. Raises ``DamagedLogError``."""
        self._refresh()
        return frozenset(self._records)

    def changed(self, folder: Folder) -> tuple[Fault, ...]:
        """A fault for each version of a dataset whose rows are not those that were published.

        Further versions are those that ``keep`` is going to add. Raises ``DamagedLogError``.
        """
        self._refresh()
        # The CSV as it is published, so line ends and quotes of the author's file are no change.
        # Decision "Other rows under the name of a published version stop the build".
        self._new_versions = {
            (dataset.name, int(version[1:])): hashlib.sha256(table.csv).hexdigest()
            for dataset in folder.datasets
            for version, table in dataset.tables
        }
        return tuple(_faults(self._new_versions, self._versions))

    def keep(self) -> None:
        """Add what is new, while the folder is locked. Raises ``OSError`` and ``DamagedLogError``."""
        if self.has_new():
            self._refresh()
            self._log.add(map(orjson.dumps, self._added()))
            self._refresh()
        self.forget()

    def has_new(self) -> bool:
        """Whether ``keep`` has anything to add."""
        return any(self._added())

    def _added(self) -> Iterator[list[str | int]]:
        """An entry for each record and version that the log does not hold."""
        for id_ in sorted(self._new_records - self._records):
            yield [id_]
        for version, digest in self._new_versions.items():
            if version not in self._versions:
                yield [*version, digest]

    def _refresh(self) -> None:
        for _, entry in self._log.more():
            match fast_json.loads(entry):
                case [id_]:
                    self._records.add(id_)
                case [name, number, digest]:
                    # The first digest is the one that was promised, whatever a later version of this software adds.
                    self._versions.setdefault((name, number), digest)


def _faults(versions: Mapping[Version, str], published: Mapping[Version, str]) -> Iterator[Fault]:
    newest = dict(sorted({*versions, *published}))
    for (name, number), digest in versions.items():
        if published.get((name, number), digest) != digest:
            place = Span(f"datasets/{name}/v{number}.csv")
            hint = f"put the published rows back, and publish the change as v{newest[name] + 1}.csv"
            yield Fault.at(FROZEN, place, f"v{number} was published with other rows", hint)
