"""Stances of the records in a bundle: the points they support or contradict, and objections to each other's sources."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citepress.contract.model import Model

COUNTER = "counter_evidence"
"""The field of a record with the evidence against it."""


class Point(Model):
    """A record that others support or contradict."""

    id: str
    """The record that makes the point; it may be outside the bundle."""
    supporting: tuple[str, ...]
    """Records of the bundle that support it; the record itself comes first if it is among them."""
    contradicting: tuple[str, ...]
    """Records of the bundle that contradict it."""


class Objection(Model):
    """Counter-evidence of one record that rests on a source of another."""

    record: str
    """The record that contains it."""
    against: tuple[str, ...]
    """The records of the bundle that rest on the same sources."""
    text: str
    """The counter-evidence."""
    sources: tuple[str, ...]
    """Addresses of the sources that it shares with them."""


Details = Sequence[tuple[str, Mapping[str, Any]]]
"""Ids with what a bundle compares of each record."""


def points(details: Details) -> list[Point]:
    """Every point that these records support or contradict, those with the most records first."""
    sides: dict[str, dict[str, list[str]]] = defaultdict(lambda: {"supports": [], "contradicts": []})
    for id_, detail in details:
        for relation, target in detail.get("edges", ()):
            sides[target][relation].append(id_)
    for id_, _ in details:
        if id_ in sides:
            sides[id_]["supports"].insert(0, id_)
    taken = (
        Point(id=id_, supporting=tuple(side["supports"]), contradicting=tuple(side["contradicts"]))
        for id_, side in sides.items()
    )
    return sorted(taken, key=lambda point: (-len(point.supporting) - len(point.contradicting), point.id))


def objections(details: Details) -> Iterator[Objection]:
    """Counter-evidence that rests on the sources of other records, in the order of the records."""
    cited = {id_: set(detail.get("sources", ())) for id_, detail in details}
    for id_, detail in details:
        for statement in detail.get("statements", ()):
            against = [
                other for other, urls in cited.items() if other != id_ and not urls.isdisjoint(statement["sources"])
            ]
            if statement["member"] == COUNTER and against:
                shared = tuple(url for url in statement["sources"] if any(url in cited[other] for other in against))
                yield Objection(record=id_, against=tuple(against), text=statement["text"], sources=shared)
