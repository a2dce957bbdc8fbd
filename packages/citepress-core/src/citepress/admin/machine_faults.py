"""What settings switch on and this machine lacks."""

from collections.abc import Iterator
from pathlib import Path

from citepress import search
from citepress.content.settings_file import place
from citepress.contract.fault import ABSENT_MODEL, Fault
from citepress.contract.site import Site

MODEL_HINT = 'docs/operating.md, "Semantic search", says where the files come from'


def machine_faults(root: Path, site: Site) -> Iterator[Fault]:
    """A fault for semantic search that cannot be had here."""
    if reason := search.missing(site.search):
        yield Fault.at(ABSENT_MODEL, place(root, ("search", "semantic")), f"search.semantic: {reason}", MODEL_HINT)
