"""Which requests are scanner noise: the rule that the method publishes, so that anyone can repeat the count.

A path that matches no route of this edition is not evidence by itself. It may have been a page once: a log from before
a move is full of such paths. What was requested and how it was answered decides.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, TypeAlias

from citepress_telemetry.contract.words import VERIFIED, TrafficClass, VerificationState
from citepress_telemetry.identify.user_agents.probes import CATEGORIES
from citepress_telemetry.identify.user_agents.table import Family
from citepress_telemetry.ports import EMBEDDED, MALFORMED, BurstRule, FamilyRow, SpoolRow

AnyFamily: TypeAlias = Family | FamilyRow
"""A family of the classifier, or of the store."""
CONFIRMED = frozenset(state.stored for state in VERIFIED)
"""Numbers of the verification states that confirm an identity."""
CONTRADICTED = VerificationState.CONTRADICTED.stored
LIBRARY = "library"
RULES_REVISION = 4
"""Revision of the rules that assign classes; part of the classifier's version."""


def _places(*names: str) -> frozenset[int]:
    """Categories as rows have them: their indexes plus one."""
    return frozenset(CATEGORIES.index(name) + 1 for name in names)


ATTACKS: Final = _places("traversal", "injection", "redirect")
"""Never requested in good faith, on any path and whatever the answer."""
ADDRESS: Final = _places("address")
"""An attack only on a route, because no route takes such a parameter; another site's page may have taken it."""
NEVER_PUBLISHED: Final = _places("dotfile", "wordpress", "device") | ATTACKS
"""What no crawler finds a link to. Scripts, archives and consoles may be former pages that it visits again."""
BURST: Final = BurstRule(600_000, 5, 2, tuple(sorted(NEVER_PUBLISHED | _places("console"))))
"""Ten minutes of the clock; five refused paths; two categories of what is never published side by side."""
REFUSED: Final = frozenset(range(400, 500)) - {408, 412, 416}
"""Statuses of a refusal. 408 means a silent client; 412 and 416 mean that something is there."""
REDIRECT_STATUSES: Final = frozenset(range(300, 400)) - {304}
ANSWERED: Final = frozenset({*range(200, 300), 304})


def bursts_of(rows: Iterable[SpoolRow], rule: BurstRule) -> frozenset[tuple[int, int]]:
    """(net, slot) of every burst among the rows of an hour; the spools do the same in SQL."""
    paths: dict[tuple[int, int], set[int]] = defaultdict(set)
    kinds: dict[tuple[int, int], set[int]] = defaultdict(set)
    for row in rows:
        if row.net is None:
            continue
        here, redirected = (row.net, row.ts // rule.slot_ms), row.status in REDIRECT_STATUSES
        if row.miss and not row.flags & EMBEDDED and (row.status in REFUSED or (row.probe and redirected)):
            paths[here].add(row.miss)
        if row.probe in rule.hostile:
            kinds[here].add(row.probe)
    many = {here for here, distinct in paths.items() if len(distinct) >= rule.paths}
    return frozenset(many | {here for here, distinct in kinds.items() if len(distinct) >= rule.kinds})


def scans(client: AnyFamily, verify: int, route: int, status: int, flags: int, probe: int, burst: bool) -> bool:
    """Whether a request is scanner noise, from the columns of its row (``ports.SpoolRow``).

    The first sentence that applies decides.

    - A client whose identity is confirmed never scans.
    - A malformed request line, and a client that calls itself a scanner, always do.
    - A request that attacks is scanning on any path, also one that was answered.
    - On a path with a route only an address for a parameter that no route takes is scanning, and of named clients
      not even that: they follow what others link to. Libraries and proven impostors are not named.
    - A named client scans where it was refused what no crawler finds a link to.
    - Others scan where a probe or any path of a burst was refused, and where a probe or a redirect is part of a
      burst. What was answered and is not a probe is never scanning.
    """
    if verify in CONFIRMED:
        return False
    if flags & MALFORMED or client.cls == TrafficClass.SCANNER_NOISE or probe in ATTACKS:
        return True
    refused = status in REFUSED
    if client.named and client.purpose != LIBRARY and verify != CONTRADICTED:
        return not route and refused and probe in NEVER_PUBLISHED
    if route:
        return probe in ADDRESS
    return bool(probe and (refused or burst)) or (burst and status not in ANSWERED)
