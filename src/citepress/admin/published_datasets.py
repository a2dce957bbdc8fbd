"""Versions of datasets that were published: the state folder holds the digest of the rows of each, for good."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import orjson

from citepress.admin.state_folders import REVISIONS
from citepress.base import fast_json
from citepress.content.folder import Folder
from citepress.contract.fault import FROZEN, Fault, Span
from citepress.stores.local.append_log import AppendLog
from citepress.stores.local.lock import exclusive

FILE = "datasets.log"
WAIT_S = 60.0

Version = tuple[str, str]
"""Name of a dataset, and ``v1``, ``v2`` …"""


class PublishedDatasets:
    """The versions of the datasets of one content folder that were published from a state folder."""

    def __init__(self, state: Path) -> None:
        """``state`` is the state folder."""
        self._folder = state / REVISIONS
        self._log = AppendLog(self._folder / FILE, measured=True)
        self._digests: dict[Version, str] = {}
        self._new: dict[Version, str] = {}

    def changed(self, folder: Folder) -> tuple[Fault, ...]:
        """A fault for each version whose rows are not those that were published. Raises ``DamagedLogError``.

        Versions that were not published yet are those that ``keep`` is going to add.
        """
        self._refresh()
        versions = {
            (dataset.name, version): hashlib.sha256(table.csv).hexdigest()
            for dataset in folder.datasets
            for version, table in dataset.tables
        }
        self._new = {version: digest for version, digest in versions.items() if version not in self._digests}
        return tuple(_faults(versions, self._digests))

    def keep(self) -> None:
        """Add what is new. Raises ``OSError``, ``FolderLockError`` and ``DamagedLogError``."""
        if not self._new:
            return
        with exclusive(self._folder, WAIT_S, lambda _: None):
            self._refresh()
            added = {version: digest for version, digest in self._new.items() if version not in self._digests}
            self._log.add(orjson.dumps([*version, digest]) for version, digest in added.items())
            self._refresh()
        self._new = {}

    def _refresh(self) -> None:
        for _, entry in self._log.more():
            name, version, digest = fast_json.loads(entry)
            self._digests.setdefault((name, version), digest)


def _faults(versions: dict[Version, str], published: dict[Version, str]) -> Iterator[Fault]:
    taken = sorted((int(version[1:]), name) for name, version in versions | published)
    newest = {name: number for number, name in taken}
    for (name, version), digest in versions.items():
        if published.get((name, version), digest) != digest:
            place = Span(f"datasets/{name}/{version}.csv")
            hint = f"put the published rows back, and publish the change as v{newest[name] + 1}.csv"
            yield Fault.at(FROZEN, place, f"{version} was published with other rows", hint)
