"""The verdict on a User-Agent: which family it names."""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files

from citepress.base.errors import ControlFlow
from citepress_telemetry.identify.user_agents.crawlers import LICENSE, PACKAGE, crawlers
from citepress_telemetry.identify.user_agents.marks import MAX_USER_AGENT_CHARS, RUST, Patterns, Tokens, plain
from citepress_telemetry.identify.user_agents.probes import PROBES_FILE as PROBES
from citepress_telemetry.identify.user_agents.scanning import RULES_REVISION
from citepress_telemetry.identify.user_agents.table import (
    AUTOMATION,
    BROWSER,
    NO_AGENT,
    UNLISTED_CLIENT,
    UNRESOLVED,
    Family,
    FamilyRule,
    FamilyTable,
    shipped,
)

CACHE = 65_536
"""User-Agents whose verdict a worker caches, in memory only."""
UNSEEN = 500
"""Uncached User-Agents that a batch may look up: a bound against floods of random ones."""
PATTERNS = "patterns.txt"
ENGINES = ("AppleWebKit", "Chrome", "Firefox", "Safari", "Edg", "OPR", "Gecko", "Trident", "MSIE", "Presto")
CARRIER = re.compile(r"FBCR/[^;\]]*")
"""The carrier of a telephone, as in-app browsers name it: ``congstar.de`` is not the address of a crawler."""
LIKE = re.compile(r"(?i)\b(?:like|similar to)\s+(?!gecko\b|mac\b)[\w.!-]+(?:/[\w.]+)?")
"""Whom a client likens itself to; "like Gecko" and "like Mac OS X" are part of what browsers send."""
BROWSER_START = re.compile(r"Mozilla/(?:5\.0|[1-4]\.\d+) \(|Opera/\d")
_COMPATIBLE = "(compatible; "
_BROWSERS = ("msie", "u;", "konqueror", "ibrowse", "netpositive")
"""What old browsers have after ``(compatible;``."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A family and the reason."""

    family: Family
    step: str
    """``table``, ``public list``, ``generic pattern``, ``browser``, ``nothing known`` or ``no header``."""
    mark: str = ""
    """The token or pattern that matched."""


@dataclass(frozen=True, slots=True)
class VerdictSource:
    """A list that the classifier is built from, as reports cite it."""

    name: str
    version: str
    license: str


class _Exhausted(ControlFlow):
    """The batch has used its budget; raised, because the cache does not store exceptions."""


class UserAgentClassifier:
    """Gives verdicts; one in each worker, used by one thread."""

    __slots__ = (
        "_cached",
        "_crawlers",
        "_generic",
        "_left",
        "_listed",
        "_rows",
        "_tokens",
        "sources",
        "table",
        "version",
    )

    def __init__(self, table: FamilyTable | None = None, *, rust: bool = RUST, public: bool = True) -> None:
        """Build the matchers (45 ms); ``public``: use the public list too. Raises ``FamilyTableError``."""
        self.table = table or shipped()
        listed = crawlers(self.table, None if public else ())
        generic = generic_patterns()
        self._rows: tuple[FamilyRule, ...] = tuple(row for row in self.table.rows for _ in row.tokens)
        self._tokens = Tokens(
            (token, row.family.purpose == "library") for row in self.table.rows for token in row.tokens
        )
        self._crawlers = listed.families
        self._listed = Patterns(listed.patterns, rust=rust)
        self._generic = Patterns(generic, fold=True, rust=rust)
        self._left: int | None = None
        self._cached = lru_cache(CACHE)(self._unseen)
        self.sources = (VerdictSource(PACKAGE, listed.version, LICENSE),)
        self.version = f"{self.table.version}+{_digest(self.table, generic, listed.version)}"

    def unseen_budget(self, unseen: int | None = UNSEEN) -> None:
        """Set how many uncached User-Agents may still be looked up; further ones are ``(unresolved)``."""
        self._left = unseen

    def family(self, agent: str | None) -> Family:
        """The family that a User-Agent names; never raises."""
        if not agent:
            return NO_AGENT
        try:
            return self._cached(agent if len(agent) <= MAX_USER_AGENT_CHARS else agent[:MAX_USER_AGENT_CHARS])
        except _Exhausted:
            return UNRESOLVED

    def explain(self, agent: str | None) -> Verdict:
        """The verdict with its reason, bypassing the cache and the budget."""
        text = plain(agent or "")
        if not text:
            return Verdict(NO_AGENT, "no header")
        named = LIKE.sub("", text)
        own = self._own(named)
        if own is not None and (own[1] == 0 or own[0].family.purpose != "library"):
            return Verdict(own[0].family, "table", own[2])
        place = self._listed.first(named)
        listed = None if place is None else Verdict(self._crawlers[place], "public list", self._listed.patterns[place])
        if own is not None and (listed is None or listed.family.purpose == "library"):
            return Verdict(own[0].family, "table", own[2])
        return listed or self._unlisted(text)

    def _unseen(self, agent: str) -> Family:
        if self._left is not None:
            if self._left <= 0:
                raise _Exhausted
            self._left -= 1
        return self.explain(agent).family

    def _own(self, text: str) -> tuple[FamilyRule, int, str] | None:
        """The row of the table, where its token begins, and the token."""
        match = self._tokens.first(text)
        return None if match is None else (self._rows[match[0]], match[1], self._tokens.tokens[match[0]])

    def _unlisted(self, text: str) -> Verdict:
        """The verdict on a client that is not listed, by what it looks like."""
        text = CARRIER.sub("FBCR/", text)
        if (place := self._generic.first(text)) is not None:
            return Verdict(AUTOMATION, "generic pattern", self._generic.patterns[place])
        if (mark := _compatible(text)) is not None:
            return Verdict(AUTOMATION, "generic pattern", mark)
        if BROWSER_START.match(text) and any(engine in text for engine in ENGINES):
            return Verdict(BROWSER, "browser")
        return Verdict(UNLISTED_CLIENT, "nothing known")


def generic_patterns() -> tuple[str, ...]:
    """Our own patterns of automation: one on each line of ``patterns.txt``."""
    text = files(__package__).joinpath(PATTERNS).read_text("utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


def _compatible(text: str) -> str | None:
    """``(compatible; X`` if X is not an old browser."""
    _, opening, rest = text.partition(_COMPATIBLE)
    return f"{_COMPATIBLE}{rest[:20]}" if opening and not rest.lower().startswith(_BROWSERS) else None


def _digest(table: FamilyTable, generic: tuple[str, ...], listed: str) -> str:
    """Eight hexadecimal digits of the hash of everything that a verdict depends on."""
    rules = files(__package__).joinpath(PROBES).read_text("utf-8"), f"rules {RULES_REVISION}"
    parts = (
        table.text.decode("utf-8"),
        *generic,
        *rules,
        f"{PACKAGE} {listed}",
        f"ahocorasick-rs {version('ahocorasick-rs')}",
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]
