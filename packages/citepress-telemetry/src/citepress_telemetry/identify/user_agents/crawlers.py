"""The public list crawler-user-agents as families: names from its instances, purposes from its tags."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from crawleruseragents import CRAWLER_USER_AGENTS_DATA

from citepress_telemetry.identify.user_agents.table import Family, FamilyTable

PACKAGE = "crawler-user-agents"
LICENSE = "MIT"
NAME_LENGTH = 60
TAGS = (
    ("http-library", "library"),
    ("browser-automation", "library"),
    ("scanner", "security"),
    ("monitoring", "monitoring"),
    ("seo", "seo"),
    ("feed-reader", "feed"),
    ("archiver", "archive"),
    ("social-preview", "preview"),
    ("academic", "research"),
)
"""Tags that imply a purpose, in order of precedence; the others (search-engine, ai-crawler, advertising) are not
reliable."""
LISTED_CLASSES = {"library": "machine_route", "security": "scanner_noise"}
_ESCAPED = re.compile(r"\\(.)")
_SPECIAL = re.compile(r"[\[\](){}|^$.*+?\\]")
_REST = re.compile(r"[/ :;,(-]+v?\d.*|[;,(].*", re.DOTALL)
"""Everything from a version or a comment on."""
_ENDS = " /:;,(-"


@dataclass(frozen=True, slots=True)
class Crawlers:
    """The list in matching order: libraries last, because a client may only be built on one."""

    patterns: tuple[str, ...]
    families: tuple[Family, ...]
    version: str


def crawlers(table: FamilyTable, entries: Sequence[Mapping[str, Any]] | None = None) -> Crawlers:
    """The public list, or another one for tests and comparisons, without what the table excludes."""
    own = {row.family.name.lower(): row.family for row in table.rows}
    rows = [
        (entry["pattern"], _family(entry, table, own))
        for entry in (CRAWLER_USER_AGENTS_DATA if entries is None else entries)
        if entry["pattern"] not in table.not_crawlers
    ]
    rows.sort(key=lambda pair: pair[1].purpose == "library")
    return Crawlers(tuple(pattern for pattern, _ in rows), tuple(family for _, family in rows), version(PACKAGE))


def _family(entry: Mapping[str, Any], table: FamilyTable, own: Mapping[str, Family]) -> Family:
    """The family of a row of the list, or the table's own family of the same name."""
    name = table.stands_for.get(entry["pattern"]) or _name(entry)
    if family := own.get(name.lower()):
        return family
    tags = entry.get("tags", ())
    purpose = next((purpose for tag, purpose in TAGS if tag in tags), "unknown")
    operation = "intermediary" if purpose == "library" else "direct"
    return Family(name, "", purpose, LISTED_CLASSES.get(purpose, "crawler"), operation, listed=True)


def _name(entry: Mapping[str, Any]) -> str:
    """What the pattern matches in its first instance, without the version; the pattern itself without an instance."""
    bare = _matched(entry["pattern"], entry.get("instances", ()))
    return (_REST.sub("", bare.strip(_ENDS)).strip(_ENDS) or bare)[:NAME_LENGTH]


def _matched(pattern: str, instances: Sequence[str]) -> str:
    """What the pattern matches first."""
    # Compiled only if it is more than plain text: compiling all 1,500 would take most of the start-up time.
    literal = _ESCAPED.sub(r"\1", pattern)
    if not _SPECIAL.search(_ESCAPED.sub("", pattern)):
        return literal
    return next((match.group() for text in instances if (match := re.search(pattern, text))), literal.strip("^$"))
