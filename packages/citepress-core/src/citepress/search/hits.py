"""The public form of a match: its record, the passage that matches best, and the words that it holds."""

from datetime import datetime

from citepress.search import passages
from citepress.search.models import Hit
from citepress.search.ranking import WeightedQuery
from citepress.search.stored_document import StoredDocument

SCORE_DECIMALS = 4
"""Decimal places of a published score."""


def hit_of(score: float, stored: StoredDocument, weighted: WeightedQuery) -> Hit:
    """The public form of a match."""
    shown = stored.shown
    best = passages.best_sentence(stored, weighted)
    held = {term.word for term in best.held if not term.joined}
    return Hit(
        id=stored.id,
        kind=shown["kind"],
        title=shown["title"],
        path=shown["path"],
        summary=shown["summary"],
        snippet=passages.passage(stored, best),
        score=round(score, SCORE_DECIMALS),
        published_at=datetime.fromisoformat(shown["published"]),
        updated_at=datetime.fromisoformat(shown["updated"]),
        observed_at=datetime.fromisoformat(shown["observed"]) if shown["observed"] else None,
        topics=tuple(shown["topics"]),
        matched=tuple([word for word in weighted.asked if word in held]),
        missing=tuple([word for word in weighted.asked if word not in held]),
        cluster=stored.cluster,
        more_in_cluster=stored.others,
    )
