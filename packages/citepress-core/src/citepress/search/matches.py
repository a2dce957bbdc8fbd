"""Queries of the engine, and how they are put together."""

from collections.abc import Sequence

import tantivy
from tantivy import Occur

Match = tantivy.Query
"""A query of the engine."""


def all_of(parts: Sequence[Match]) -> Match:
    """Records that match every part."""
    return parts[0] if len(parts) == 1 else Match.boolean_query([(Occur.Must, part) for part in parts])


def some_of(parts: Sequence[Match]) -> Match:
    """Records that match at least one part; the scores are summed."""
    return parts[0] if len(parts) == 1 else Match.boolean_query([(Occur.Should, part) for part in parts])


def best_of(parts: Sequence[Match]) -> Match:
    """Records that match at least one part; the highest score counts."""
    return parts[0] if len(parts) == 1 else Match.disjunction_max_query(list(parts))


def times(match: Match, factor: float) -> Match:
    """The same records with their scores multiplied."""
    return match if factor == 1 else Match.boost_query(match, factor)


def preferring(match: Match, parts: Sequence[Match]) -> Match:
    """The records of ``match``; each part that a record also matches adds its score."""
    return Match.boolean_query([(Occur.Must, match), *((Occur.Should, part) for part in parts)]) if parts else match
