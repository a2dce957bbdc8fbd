"""A small archive with something to sell: records that agree and disagree on where otters rest, among others."""

from datetime import UTC, datetime
from typing import Any

from citepress_payments.products import PRODUCTS
from support.folder import markdown, pattern, post, signal, topic
from support.search import SUBJECTS

BUNDLE, COVERAGE = PRODUCTS
ASKED = datetime(2026, 6, 1, 9, tzinfo=UTC)
QUESTION = "where do otters rest beside a weir at night"


def source(name: str, **members: Any) -> dict[str, Any]:
    """A source with a host of its own."""
    return {"id": name, "url": f"https://{name}.example/page", "title": f"Page of {name}", **members}


def about(name: str, *more: str) -> str:
    """A text on the question in the first sentence and of its own words after that."""
    return " ".join(
        [
            f"Otters rest beside a weir at night, says {name}.",
            *more,
            *(f"{name.capitalize()}word{n} stands." for n in range(12)),
        ]
    )


OTTERS = {
    "patterns/weirs": pattern(
        title="Otters rest by weirs",
        statement="Otters rest beside a weir at night.",
        date="2026-04-01",
        sources=[source("rangers"), source("mills")],
        evidence=[{"text": "Rangers saw otters rest beside weirs.", "source_refs": ["rangers"]}],
        counter_evidence=[{"summary": "Mills report empty weirs at night.", "source_refs": ["mills"]}],
        topics=["otters"],
    ),
    "signals/count": (
        signal(
            title="A count",
            supports=["weirs"],
            date="2026-05-20",
            sources=[source("count", published_at="2026-05-18", publisher="The count")],
            topics=["otters"],
        )
        + about("count")
    ),
    "signals/ponds": (
        signal(title="Ponds", contradicts=["weirs"], date="2026-03-01", sources=[source("ponds")], topics=["otters"])
        + about("ponds")
    ),
    "signals/afar": signal(title="Afar", supports=["weirs"], date="2026-02-01", sources=[source("afar")]),
    "posts/mills": post(
        about("mills", "The weir is loud at night."),
        title="Old mills",
        date="2024-11-01",
        sources=[source("mills", role="secondary", accessed_at="2026-05-01"), source("maps")],
        claims=[{"text": "Otters rest beside old mills.", "source_refs": ["maps"]}, {"text": "Nobody pays a miller."}],
        topics=["otters"],
    ),
    "posts/bare": post(about("bare"), title="Without sources", date="2026-05-25", topics=["otters"]),
    "topics/otters": topic(
        title="Resting places", question="Which beds last?", open_questions=["Do they return?", "Who counts?"]
    ),
    **{f"posts/{slug}": post(text, title=slug.capitalize(), date="2026-06-01") for slug, text in SUBJECTS.items()},
}
"""Records by id; the newest is of 1 June 2026."""


def heavy(count: int) -> dict[str, str]:
    """Records on the question that are as large as a record may be, in letters of four bytes."""
    long = "\U00010400" * 350
    # Words of its own keep one from restating another.
    own = [" ".join(f"{chr(97 + n % 26)}{chr(97 + k)}{'xyz'[n // 26]}o" for k in range(26)) for n in range(count)]
    return {
        f"patterns/heavy-{n}": markdown(
            {
                "title": f"Heavy {n}",
                "summary": f"Otters rest beside a weir at night {n}.",
                "date": "2026-05-01",
                "statement": f"Heavy statement {n} {own[n]}.",
                "status": "emerging",
                "confidence": {"level": "low", "rationale": long * 10, "assessed_at": "2026-05-01"},
                "evidence": [{"text": f"Otter weir {n} {k} {long}{long}"} for k in range(5)],
                "counter_evidence": [{"summary": f"No otter {n} {k} {long}{long}"} for k in range(3)],
                "revision_trigger": [{"condition": "It stops.", "action": "Retire it."}],
                "first_observed_at": "2026-04-01",
                "sources": [
                    {"id": f"s{k}", "url": f"https://h{n}-{k}.example/{'p' * 1900}", "title": long, "publisher": long}
                    for k in range(12)
                ],
            },
            about(f"heavy{n}"),
        )
        for n in range(count)
    }
