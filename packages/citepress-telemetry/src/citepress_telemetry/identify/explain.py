"""For ``telemetry agents check|diff|test``: faults of the table, news of public lists, the reason of a verdict."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from citepress_telemetry.identify.user_agents import probes, referrers
from citepress_telemetry.identify.user_agents.marks import Tokens, plain
from citepress_telemetry.identify.user_agents.table import FamilyTable, FamilyTableError, due, load, shipped
from citepress_telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress_telemetry.identify.verify import address_lists

MAX_COMPARED_NAMES = 20_000
"""Names that are compared at most."""
_SEVERAL = 2
"""Characters of the shortest name of a list."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking the table."""

    version: str
    """The classifier's version; empty when the table cannot be used."""
    families: int
    faults: tuple[str, ...]
    """Errors, which have to be fixed."""
    warnings: tuple[str, ...]
    """Rows last reviewed over a year ago."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Clients of newer public lists that are missing from the table."""

    unnamed: tuple[str, ...]
    """Clients without a named verdict."""
    only_listed: tuple[str, ...]
    """Clients named only by the public list: without operator, and mostly without purpose."""


@dataclass(frozen=True, slots=True)
class UserAgentExplanation:
    """The verdict on a User-Agent and its reason."""

    agent: str
    family: str
    operator: str
    purpose: str
    cls: str
    operation: str
    step: str
    """``table``, ``public list``, ``generic pattern``, ``browser``, ``nothing known`` or ``no header``."""
    mark: str
    """The token or pattern that matched."""
    source: str
    """The page behind the row of the table."""
    version: str


def check(today: date, text: bytes | None = None) -> Checked:
    """Check the shipped table, or another file's text, and the probes and referrers; never raises."""
    try:
        table = shipped() if text is None else load(text)
    except FamilyTableError as error:
        return Checked("", 0, tuple(str(error).splitlines()), ())
    classifier = UserAgentClassifier(table)
    faults = (*_samples(table, classifier), *_tokens(table), *_keys(table), *_files())
    stale = tuple(f"family {name!r} was last reviewed over a year ago" for name in due(table, today))
    return Checked(classifier.version, len(table.rows), faults, stale)


def diff(newer: Iterable[Mapping[str, Any] | Sequence[Any]]) -> Difference:
    """Compare the table with newer public lists, each as its JSON document.

    A list is a mapping of names (ai.robots.txt), or rows with a ``pattern`` and ``instances``
    (crawler-user-agents), a ``name`` or a ``user_agent``. Raises ``ValueError`` for a document of another shape.
    """
    classifier = UserAgentClassifier()
    steps: dict[str, str] = {}
    for document in newer:
        for name, agent in _clients(document):
            if not any(word.lower() == name.lower() for word in classifier.table.robots_only):
                steps.setdefault(name, classifier.explain(agent).step)
        if len(steps) > MAX_COMPARED_NAMES:
            raise ValueError(f"the lists hold more than {MAX_COMPARED_NAMES} names")
    return Difference(
        tuple(sorted((name for name, step in steps.items() if step not in {"table", "public list"}), key=str.lower)),
        tuple(sorted((name for name, step in steps.items() if step == "public list"), key=str.lower)),
    )


def explain(agent: str, classifier: UserAgentClassifier | None = None) -> UserAgentExplanation:
    """The verdict on a User-Agent and its reason."""
    classifier = classifier or UserAgentClassifier()
    verdict = classifier.explain(agent)
    family = verdict.family
    source = next((row.source for row in classifier.table.rows if row.family is family), "")
    said = (family.name, family.operator, family.purpose, family.cls, family.operation)
    return UserAgentExplanation(plain(agent), *said, verdict.step, verdict.mark, source, classifier.version)


def _samples(table: FamilyTable, classifier: UserAgentClassifier) -> Iterator[str]:
    """Rows whose own sample gets another verdict."""
    for row in table.rows:
        if (family := classifier.explain(row.sample).family) is not row.family:
            yield f"family {row.family.name!r}: its sample gives {family.name!r}"


def _tokens(table: FamilyTable) -> Iterator[str]:
    """Tokens that can never match."""
    for row in table.rows:
        yield from (
            f"token {token!r} never matches" for token in row.tokens if Tokens([(token, False)]).first(token) is None
        )


def _keys(table: FamilyTable) -> Iterator[str]:
    """Unknown keys of address lists, and address lists of unknown families."""
    lists = {address_list.key for address_list in address_lists.shipped()}
    for row in table.rows:
        yield from (
            f"family {row.family.name!r}: {key!r} is not a list of ranges.toml"
            for key in row.family.ranges
            if key not in lists
        )
    names = {row.family.name for row in table.rows}
    yield from (
        f"ranges.toml: {address_list.key} names an unknown family: {name!r}"
        for address_list in address_lists.shipped()
        for name in address_list.complete_for
        if name not in names
    )


def _files() -> Iterator[str]:
    """Faults of the probes and referrers."""
    try:
        probes.shipped()
        referrers.shipped()
    except (probes.ProbesError, referrers.ReferrersError) as error:
        yield str(error)


def _clients(document: object) -> Iterator[tuple[str, str]]:
    """Names of a list, each with a User-Agent to classify."""
    if isinstance(document, Mapping):
        yield from ((str(name), str(name)) for name in document if len(str(name)) >= _SEVERAL)
        return
    if not isinstance(document, Sequence) or isinstance(document, str | bytes):
        raise ValueError(f"a list of clients is a JSON object or array, not {json.dumps(document)[:40]}")  # noqa: TRY004  (a fault of the file)
    for row in document:
        if isinstance(row, str):
            yield row, row
        elif isinstance(row, Mapping) and (name := row.get("name") or row.get("user_agent") or row.get("pattern")):
            instances = row.get("instances") or row.get("userAgents") or [re.sub(r"\\(.)", r"\1", str(name))]
            yield str(name), str(instances[0])
        else:
            raise ValueError(f"a row of a list has a name, a user_agent or a pattern: {str(row)[:60]}")
