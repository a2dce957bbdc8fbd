"""Small search indexes for tests: records in, an opened index out."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from citepress.archive.model import Archive, Entry
from citepress.search.build import build
from citepress.search.index import SearchIndex
from citepress.search.state import open_index
from support.archive import archive_of, entry

AS_OF = datetime(2026, 6, 1, tzinfo=UTC)
SUBJECTS = {
    "sandbox": (
        "A sandbox confines the process of a coding agent with kernel namespaces and seccomp filters before any tool"
        " runs."
    ),
    "memory": (
        "Agent memory settles into plain Markdown files that a person reads, edits and keeps under version control."
    ),
    "payments": (
        "A server answers with status 402 and prices; the client signs a payment payload and repeats the request."
    ),
    "poisoning": (
        "Tool poisoning hides an instruction inside the description that a model reads before it calls the function."
    ),
    "crawlers": (
        "Crawlers prove their identity with HTTP message signatures, and a firewall verifies the published key."
    ),
    "benchmarks": (
        "Benchmarks age within months because solutions leak into training data and harness bugs inflate the score."
    ),
}
"""Six texts that share almost no word."""


def note(slug: str, text: str = "", **members: Any) -> Entry:
    """A field note with this text as its body, titled by its slug."""
    defaults = {
        "title": slug.replace("-", " ").capitalize(),
        "summary": f"On {slug.replace('-', ' ')}.",
        "body_markdown": text,
    }
    own = {"retrieval_nugget": f"Nugget on {slug.replace('-', ' ')}.", "claims": [], "sources": []}
    return entry(f"posts/{slug}", **{**defaults, **own, **members})


def notes() -> list[Entry]:
    """One note on each subject."""
    return [note(slug, text) for slug, text in SUBJECTS.items()]


def indexed(folder: Path, *entries: Entry, **parts: Any) -> SearchIndex:
    """An index over these records."""
    archive: Archive = archive_of(*entries, **{"as_of": AS_OF, **parts})
    build(archive, folder / "search")
    return open_index(folder / "search")
