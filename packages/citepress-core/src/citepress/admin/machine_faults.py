"""What settings switch on and this machine lacks."""

from collections.abc import Iterator
from pathlib import Path

from citepress import search
from citepress.content.settings_file import place
from citepress.contract.fault import ABSENT_CARDS, ABSENT_MODEL, Fault
from citepress.contract.site import Site
from citepress_cards.renderer import missing as missing_for_cards

MODEL_HINT = 'docs/operating.md, "Semantic search", says where the files come from'
CARDS_HINT = "install the extra, or switch cards off"


def machine_faults(root: Path, site: Site) -> Iterator[Fault]:
    """A fault for semantic search that cannot be had here, and for cards that cannot be drawn."""
    if reason := search.missing(site.search):
        yield Fault.at(ABSENT_MODEL, place(root, ("search", "semantic")), f"search.semantic: {reason}", MODEL_HINT)
    if site.theme.cards and (reason := missing_for_cards()):
        yield Fault.at(ABSENT_CARDS, place(root, ("theme", "cards")), f"theme.cards: {reason}", CARDS_HINT)
