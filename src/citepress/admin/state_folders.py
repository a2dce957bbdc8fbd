"""The state folder, and its folders that hold what cannot be built again, besides its databases."""

from contextlib import suppress
from pathlib import Path

REVISIONS = "revisions"
"""The pack of revisions, and the lock of whoever adds to it."""
SOURCES = "sources"
"""The journal of checked sources, and the captures where no bucket holds them."""
LOG = "log"
"""The logs of the editions that were published from this state folder."""
EDITIONS_LOG, EXPORT_LOG = f"{LOG}/editions.jsonl", f"{LOG}/export.jsonl"
"""Of what a service shows, and of what ``citepress build`` wrote: two sites of different files."""
EXPORT = "export"
"""The edition of ``citepress build``."""


def prepare(state: Path) -> None:
    """Create the state folder where it is missing, and keep it out of Git: it holds keys and what visitors sent."""
    ignore = state / ".gitignore"
    with suppress(OSError):  # whoever has to write there says why nobody can
        state.mkdir(parents=True, exist_ok=True)
        if not ignore.exists():
            ignore.write_text("*\n", "utf-8")
