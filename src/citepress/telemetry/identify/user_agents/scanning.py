"""Which requests are scanner noise: the rule that the method publishes, so that anybody can count it again from a log.

That a path fits no route of this edition is no evidence alone. It may have been a page once: a log from before a move is full of such
paths. What counts is what was looked for and how it was answered.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final, Protocol

from citepress.telemetry.identify.user_agents.probes import CATEGORIES
from citepress.telemetry.ports import EMBEDDED, MALFORMED, VERIFY, BurstRule, SpoolRow

CONFIRMED = frozenset(VERIFY.index(state) for state in ("signed", "ip_range", "fcrdns"))
"""Places of the verification states that confirm who asks."""
CONTRADICTED = VERIFY.index("contradicted")
LIBRARY = "library"
RULES = 2
"""Counts changes of the rules that sort requests into classes; part of the classifier's version."""


def _places(*names: str) -> frozenset[int]:
    """Categories as a row has them: their places plus one."""
    return frozenset(CATEGORIES.index(name) + 1 for name in names)


ATTACKS: Final = _places("traversal", "injection")
"""Asked for by nobody in good faith, whatever the answer was."""
NEVER_PUBLISHED: Final = _places("dotfile", "wordpress", "device", "traversal", "injection")
"""What a named crawler has no link to. Scripts, archives and consoles may be former pages that it looks at again."""
BURST: Final = BurstRule(600_000, 5, 2, tuple(sorted(NEVER_PUBLISHED | _places("console"))))
"""Ten minutes of the clock; five paths that were refused; two sorts of what is not published by accident side by side."""
REFUSED: Final = frozenset(range(400, 500)) - {408, 412, 416}
"""Statuses that say: there is nothing here for you. 408 is silence of the client; 412 and 416 are told of what is there."""
REDIRECTS: Final = frozenset(range(300, 400)) - {304}
ANSWERED: Final = frozenset({*range(200, 300), 304})


def bursts_of(rows: Iterable[SpoolRow], rule: BurstRule) -> frozenset[tuple[int, int]]:
    """(net, slot) of every burst among the rows of an hour; what the spools ask their databases."""
    paths: dict[tuple[int, int], set[int]] = defaultdict(set)
    kinds: dict[tuple[int, int], set[int]] = defaultdict(set)
    for row in rows:
        if not row.miss or row.net is None:
            continue
        here, redirected = (row.net, row.ts // rule.slot_ms), row.status in REDIRECTS
        if not row.flags & EMBEDDED and (row.status in REFUSED or (row.probe and redirected)):
            paths[here].add(row.miss)
        if row.probe in rule.hostile:
            kinds[here].add(row.probe)
    many = {here for here, found in paths.items() if len(found) >= rule.paths}
    return frozenset(many | {here for here, found in kinds.items() if len(found) >= rule.kinds})


class Client(Protocol):
    """What the rule asks of a family."""

    @property
    def purpose(self) -> str:
        """What it fetches for."""
        ...

    @property
    def cls(self) -> str:
        """The class that the table says."""
        ...

    @property
    def named(self) -> bool:
        """Whether it is a named family."""
        ...


def scans(client: Client, verify: int, route: int, status: int, flags: int, probe: int, burst: bool) -> bool:
    """Whether a request, told as a row of the spool has it (``ports.Row``), is scanner noise. The first sentence that fits decides.

    - A client whose identity is confirmed never scans.
    - A malformed request line, and a client that calls itself a scanner, always do.
    - A path with a route is no scanning.
    - A named client scans where it was refused what a crawler has no link to. Mere libraries and proven impostors are not named.
    - Others scan where a path attacks, where a probe or any path of a burst was refused, and where a probe or a redirect is part of a
      burst. What was answered and is no probe is never scanning.
    """
    if verify in CONFIRMED:
        return False
    if flags & MALFORMED or client.cls == "scanner_noise":
        return True
    if route:
        return False
    refused = status in REFUSED
    if client.named and client.purpose != LIBRARY and verify != CONTRADICTED:
        return refused and probe in NEVER_PUBLISHED
    if probe in ATTACKS or (probe and (refused or burst)):
        return True
    return burst and status not in ANSWERED
