"""The five classes: the first rule that matches decides the class of a request."""

from citepress.contract.reports.words import SentForm, TrafficClass
from citepress.telemetry.identify.user_agents.scanning import (
    CONTRADICTED,
    LIBRARY,
    NEVER_PUBLISHED,
    AnyFamily,
    scans,
)
from citepress.telemetry.identify.user_agents.table import BROWSER
from citepress.telemetry.ports import GET, IMPORTED, NAVIGATION

HTML = SentForm.HTML.stored
SHOWN = (200, 304)
"""Statuses with which a browser shows a page."""


def classify(
    family: AnyFamily, verify: int, route: int, rep: int, status: int, flags: int, probe: int, burst: bool
) -> TrafficClass:
    """The class of one request, from the columns of its row (``ports.SpoolRow``).

    ``route`` and ``probe`` are 0 for none; ``burst``: the request belongs to a burst of its network
    (``ports.BurstRule``). A client whose address contradicts its name is neither a crawler nor a user agent.
    """
    if scans(family, verify, route, status, flags, probe, burst):
        return TrafficClass.SCANNER_NOISE
    if verify == CONTRADICTED:
        return TrafficClass.MACHINE_ROUTE
    if family.cls == "ai_user_agent":
        return TrafficClass.AI_USER_AGENT
    if family.named and family.purpose != LIBRARY:
        return TrafficClass.CRAWLER
    if family.name == BROWSER.name and probe not in NEVER_PUBLISHED and _page_view(rep, status, flags):
        return TrafficClass.HUMAN_PAGE_VIEW
    return TrafficClass.MACHINE_ROUTE


def _page_view(rep: int, status: int, flags: int) -> bool:
    """Whether a browser navigated to a page and was shown it.

    Logs do not record navigation, so for imported requests the rest of the rule decides.
    """
    return bool(flags & GET) and rep == HTML and status in SHOWN and bool(flags & (NAVIGATION | IMPORTED))
