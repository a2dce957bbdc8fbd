"""How the records of a bundle stand to each other: the sides that they take, and counter-evidence on each other's sources."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from citepress.contract.model import Model

COUNTER = "counter_evidence"
"""The member of a record that speaks against it."""


class Point(Model):
    """A record on which others take a side."""

    id: str
    """The record that makes the point; it need not be in the bundle."""
    supporting: tuple[str, ...]
    """Records of the bundle that speak for it, itself first where it is among them."""
    contradicting: tuple[str, ...]
    """Records of the bundle that speak against it."""


class Objection(Model):
    """Counter-evidence of one record that rests on a source of another."""

    record: str
    """The record that holds it."""
    against: tuple[str, ...]
    """The records of the bundle that stand on the same sources."""
    text: str
    """The counter-evidence."""
    sources: tuple[str, ...]
    """Addresses of the sources that it shares with them."""


Details = Sequence[tuple[str, Mapping[str, Any]]]
"""Ids with what a bundle quotes of each record."""


def points(found: Details) -> list[Point]:
    """Every point that these records take a side on, those that most of them bear on first."""
    sides: dict[str, dict[str, list[str]]] = defaultdict(lambda: {"supports": [], "contradicts": []})
    for id_, detail in found:
        for relation, target in detail.get("edges", ()):
            sides[target][relation].append(id_)
    for id_, _ in found:
        if id_ in sides:
            sides[id_]["supports"].insert(0, id_)
    made = (Point(id=id_, supporting=tuple(side["supports"]), contradicting=tuple(side["contradicts"])) for id_, side in sides.items())
    return sorted(made, key=lambda one: (-len(one.supporting) - len(one.contradicting), one.id))


def objections(found: Details) -> Iterator[Objection]:
    """Counter-evidence on each other's sources, in the order of the records."""
    cited = {id_: {source["url"] for source in detail.get("sources", ())} for id_, detail in found}
    for id_, detail in found:
        for statement in detail.get("statements", ()):
            against = [other for other, urls in cited.items() if other != id_ and not urls.isdisjoint(statement["sources"])]
            if statement["member"] == COUNTER and against:
                shared = tuple(url for url in statement["sources"] if any(url in cited[other] for other in against))
                yield Objection(record=id_, against=tuple(against), text=statement["text"], sources=shared)
