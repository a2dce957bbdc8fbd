"""The five classes: each request falls into exactly one, by the first rule that fits."""

from typing import Protocol

from citepress.contract.reports.words import TrafficClass
from citepress.telemetry.identify.user_agents.scanning import CONTRADICTED, LIBRARY, NEVER_PUBLISHED, scans
from citepress.telemetry.identify.user_agents.table import BROWSER
from citepress.telemetry.ports import GET, IMPORTED, NAVIGATION, REPRESENTATIONS

HTML = REPRESENTATIONS.index("html")
SHOWN = (200, 304)
"""Statuses that show a person a page."""


class NamedFamily(Protocol):
    """What the rules ask of a family: one of the classifier or a row of the store."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def purpose(self) -> str:
        """What it fetches for."""
        ...

    @property
    def cls(self) -> str:
        """The class that the table says; empty for bracketed families."""
        ...

    @property
    def named(self) -> bool:
        """Whether it is a named family."""
        ...


def classify(family: NamedFamily, verify: int, route: int, rep: int, status: int, flags: int, probe: int, burst: bool) -> TrafficClass:
    """The class of one request, told as a row of the spool has it (``ports.Row``).

    ``route`` and ``probe`` are 0 for none; ``burst`` says that the request belongs to a burst of its network (``ports.BurstRule``).
    A client whose address contradicts its name is not what it calls itself, so it is no crawler and no agent.
    """
    if scans(family, verify, route, status, flags, probe, burst):
        return "scanner_noise"
    if verify == CONTRADICTED:
        return "machine_route"
    if family.cls == "ai_user_agent":
        return "ai_user_agent"
    if family.named and family.purpose != LIBRARY:
        return "crawler"
    if family.name == BROWSER.name and probe not in NEVER_PUBLISHED and _page_view(rep, status, flags):
        return "human_page_view"
    return "machine_route"


def _page_view(rep: int, status: int, flags: int) -> bool:
    """A page shown to a browser that navigates; logs do not tell of navigation, so there the rest of the rule decides."""
    return bool(flags & GET) and rep == HTML and status in SHOWN and bool(flags & (NAVIGATION | IMPORTED))
