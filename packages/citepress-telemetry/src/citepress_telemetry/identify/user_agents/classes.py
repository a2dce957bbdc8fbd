"""The five classes: the first rule that matches decides the class of a request."""

from citepress_telemetry.contract.words import SentForm, TrafficClass
from citepress_telemetry.identify.user_agents.probes import CATEGORIES
from citepress_telemetry.identify.user_agents.scanning import CONTRADICTED, LIBRARY, AnyFamily, scans
from citepress_telemetry.identify.user_agents.table import BROWSER
from citepress_telemetry.ports import BACKGROUND, GET, IMPORTED, NAVIGATION

HTML = SentForm.HTML.stored
MAYBE_PAGES = frozenset({0, CATEGORIES.index("script") + 1})
"""No probe, or a script: whole sites were made of .php pages. Nobody views another probe, though it was answered."""
PAGE_STATUSES = (200, 304)
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
    if family.name == BROWSER.name and probe in MAYBE_PAGES and _page_view(rep, status, flags):
        return TrafficClass.HUMAN_PAGE_VIEW
    return TrafficClass.MACHINE_ROUTE


def _page_view(rep: int, status: int, flags: int) -> bool:
    """Whether a browser navigated to a page and was shown it.

    Logs do not record navigation, so for imported requests the rest of the rule decides.
    """
    if flags & BACKGROUND:
        return False
    return bool(flags & GET) and rep == HTML and status in PAGE_STATUSES and bool(flags & (NAVIGATION | IMPORTED))
