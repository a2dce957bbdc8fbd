"""The five classes: each request falls into exactly one, by the first rule that fits."""

from typing import Protocol

from citepress.contract.reports.words import TrafficClass
from citepress.telemetry.agents.table import BROWSER
from citepress.telemetry.ports import GET, IMPORTED, MALFORMED, NAVIGATION, REPRESENTATIONS, VERIFY

CONFIRMED = frozenset(VERIFY.index(state) for state in ("signed", "ip_range", "fcrdns"))
"""Places of the verification states that confirm who asks."""
HTML = REPRESENTATIONS.index("html")
SHOWN = (200, 304)
"""Statuses that show a person a page."""


class Named(Protocol):
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


def classify(family: Named, verify: int, route: int, rep: int, status: int, flags: int, probe: int, burst: bool) -> TrafficClass:
    """The class of one request, told as a row of the spool has it (``ports.Row``).

    ``route`` and ``probe`` are 0 for none; ``burst`` says that the request belongs to a network which asked for five or more different
    unmatched paths in ten minutes. Scanning is never said of a client whose identity is confirmed. Named clients may ask for removed
    pages again and again, so a burst is held against unnamed ones and mere libraries only.
    """
    if verify not in CONFIRMED and _scans(family, route, flags, probe, burst):
        return "scanner_noise"
    if family.cls == "ai_user_agent":
        return "ai_user_agent"
    if family.named and family.purpose != "library":
        return "crawler"
    if family.name == BROWSER.name and _page_view(rep, status, flags):
        return "human_page_view"
    return "machine_route"


def _scans(family: Named, route: int, flags: int, probe: int, burst: bool) -> bool:
    """Malformed, a scanner, or no route and either probing or a burst of an unnamed client."""
    if flags & MALFORMED or family.cls == "scanner_noise":
        return True
    return not route and (bool(probe) or (burst and (not family.named or family.purpose == "library")))


def _page_view(rep: int, status: int, flags: int) -> bool:
    """A page shown to a browser that navigates; logs do not tell of navigation, so there the rest of the rule decides."""
    return bool(flags & GET) and rep == HTML and status in SHOWN and bool(flags & (NAVIGATION | IMPORTED))
