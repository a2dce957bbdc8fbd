"""The requirement manifest: every promise of the specification, with the decision where it leaves one open."""

from collections.abc import Mapping
from dataclasses import dataclass

from spec.rows import actions, extensions, mcp, payments, records, routes, rules

STANDING = frozenset({"publication", "inbox", "mcp", "telemetry", "payments"})
"""The parts of the service that stand: each of their entries needs a test. Others are not yet proven."""
PARTS = ("publication", "inbox", "mcp", "telemetry", "payments")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One promise to the outside."""

    id: str
    section: str
    """Heading of the specification (or of the publication design) that says it."""
    behaviour: str
    due: str
    """The part of the service it belongs to."""
    decision: str = ""
    """What was decided where the specification says "not shown"."""


def _read(module_rows: Mapping[tuple[str, str], Mapping[str, str | tuple[str, str]]]) -> list[Requirement]:
    """``{(section, part): {id: behaviour | (what is not shown, decision)}}`` as entries."""
    requirements = []
    for (section, part), rows in module_rows.items():
        for id_, says in rows.items():
            behaviour, decision = says if isinstance(says, tuple) else (says, "")
            requirements.append(Requirement(id_, section, behaviour, part, decision))
    return requirements


ALL: tuple[Requirement, ...] = tuple(
    entry for module in (rules, records, routes, actions, mcp, payments, extensions) for entry in _read(module.ROWS)
)
BY_ID: Mapping[str, Requirement] = {entry.id: entry for entry in ALL}
