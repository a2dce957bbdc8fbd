"""Backlinks: which records link to a record, and how many of them it publishes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from citepress.archive.model import Edge
from citepress.archive.resolve import Resolved
from citepress.content.passages import LinkPassage
from citepress.contract.backlink import LinkingPassage

MAX_BACKLINKS = 1_000
"""Backlinks that a record publishes, the newest records first."""
MAX_PASSAGES = 100
"""Backlinks that it publishes with their passages."""
_PARTS = tuple(LinkingPassage.model_fields)
LinkFrom = tuple[str, str, LinkPassage | None]
"""A record that links to another, how, and the passage of its text that does."""


@dataclass(frozen=True, slots=True)
class InboundLinks:
    """The links of other records to each record."""

    related: Mapping[str, tuple[str, ...]]
    backlinks: Mapping[str, Sequence[LinkFrom]]


class _LinkSummary(NamedTuple):
    """The edges of a record by target."""

    links: tuple[tuple[str, LinkFrom], ...]
    """(record, (this one, relation, passage)) of each edge."""
    related: tuple[str, ...]
    """Records that this one names as related."""

    @classmethod
    def of(cls, edges: Sequence[Edge]) -> "_LinkSummary":
        """The summary of these edges."""
        links = tuple((edge.target, (edge.source, edge.type, edge.passage)) for edge in edges)
        return cls(links, tuple(edge.target for edge in edges if edge.type == "related"))


def inbound_links(records: Sequence[Resolved]) -> InboundLinks:
    """Related records named by either side, and incoming edges, those of the newest records first."""
    backlinks: dict[str, list[LinkFrom]] = defaultdict(list)
    related: dict[str, dict[str, None]] = {}
    named: dict[str, list[str]] = defaultdict(list)
    for record in records:
        summary = _LinkSummary.of(record.edges)
        for target, link in summary.links:
            backlinks[target].append(link)
        if summary.related:
            related[record.draft.id] = dict.fromkeys(summary.related)
        for target in summary.related:
            named[target].append(record.draft.id)
    for target, sources in named.items():
        names = related.setdefault(target, {})
        for source in sorted(sources):
            names.setdefault(source)
    return InboundLinks({id_: tuple(names) for id_, names in related.items()}, backlinks)


def bounded_backlinks(backlinks: Sequence[LinkFrom]) -> tuple[LinkFrom, ...]:
    """As many backlinks as a record publishes, the first of them with their passages."""
    return (
        *backlinks[:MAX_PASSAGES],
        *((id_, relation, None) for id_, relation, _ in backlinks[MAX_PASSAGES:MAX_BACKLINKS]),
    )


def published_backlink(id_: str, relation: str, passage: LinkPassage | None) -> dict[str, object]:
    """The members of ``contract.backlink.Backlink``."""
    return {"id": id_, "relation": relation, "passage": passage and dict(zip(_PARTS, passage, strict=True))}
