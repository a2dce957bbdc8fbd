"""The fault of cards that are switched on and cannot be drawn on this machine."""

from collections.abc import Iterator
from pathlib import Path

from citepress.content.settings_file import place
from citepress.contract.fault import Fault
from citepress.contract.settings_table import settings_of
from citepress.contract.site import Site
from citepress_cards.fault_codes import ABSENT_CARDS
from citepress_cards.renderer import missing
from citepress_cards.settings import CardChoice

HINT = "install the extra, or switch cards off"


def card_faults(root: Path, site: Site) -> Iterator[Fault]:
    """A fault for cards that cannot be drawn."""
    if settings_of(site, CardChoice).cards and (reason := missing()):
        yield Fault.at(ABSENT_CARDS, place(root, ("theme", "cards")), f"theme.cards: {reason}", HINT)


ALL = (card_faults,)
