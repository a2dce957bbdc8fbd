"""An archive with what it was assembled from, which a revision of one record goes back to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from citepress.archive.links import Addresses
from citepress.archive.model import Archive, Edge
from citepress.archive.origins import Origins
from citepress.archive.resolve import Resolved
from citepress.content.folder import Folder
from citepress.content.passages import LinkPassage
from citepress.contract.fault import Fault
from citepress.history.revisions import RecordRevisions

Relation = tuple[str, LinkPassage | None]
"""The type of an edge, and the passage of the text that it comes from."""
Links = dict[str, dict[str, tuple[Relation, ...]]]
"""The relations of the edges to a record, by the record that they come from."""


@dataclass(slots=True)
class Assembled:
    """An archive, and what it was assembled from."""

    folder: Folder
    archive: Archive
    records: dict[str, Resolved]
    addresses: Addresses
    origins: Origins
    dataset_titles: Mapping[str, str]
    """The titles that datasets give to sources, and the empty string for those that they only cite."""
    other_addresses: frozenset[str]
    """Every other address that a record gives one of its sources."""
    revisions: dict[str, RecordRevisions]
    """The revisions of records by id, where any are kept."""
    faults: tuple[Fault, ...]
    _inbound: Links = field(default_factory=dict)

    def current_folder(self) -> Folder:
        """The folder with its records as they were edited since."""
        return replace(self.folder, drafts=tuple([record.draft for record in self.records.values()]))

    def inbound(self) -> Links:
        """The edges to each record; gathered once."""
        if not self._inbound:
            for record in self.records.values():
                for target, links in relations(record.edges).items():
                    self._inbound.setdefault(target, {})[record.draft.id] = links
        return self._inbound


def of_type(edges: Iterable[Edge], sort: str) -> list[str]:
    """The records that edges of one relation lead to."""
    return [edge.target for edge in edges if edge.type == sort]


def relations(edges: Iterable[Edge]) -> dict[str, tuple[Relation, ...]]:
    """The relations of a record's edges, by the record that they lead to."""
    targets: dict[str, tuple[Relation, ...]] = {}
    for edge in edges:
        targets[edge.target] = (*targets.get(edge.target, ()), (edge.type, edge.passage))
    return targets
