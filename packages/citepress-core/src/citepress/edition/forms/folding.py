"""Which blocks of a page are folded: long lists of claims, and on phones what stands between a reader and a text."""

from collections.abc import Mapping

from citepress.contract.page import Block, Chart, Facts, Items, Nugget, Page
from citepress.edition.prose.renderer import BODY

OPEN_LINES = 21
"""Lines that a phone shows between the head of a record and its text; what does not fit is folded there."""
ITEM_CHARS, FACT_CHARS, NUGGET_CHARS = 40, 22, 34
"""Characters of an entry, a labelled value and a nugget that fit on a line of a phone."""
HEADING_LINES, CHART_LINES, TIMELINE_LINES = 2, 10, 6
Fold = tuple[str, str]
"""The class of a folded block, and the words that unfold it."""
EVERYWHERE, SMALL = "folded", "small"
"""Classes: folded on every screen, and on small ones only."""


def folds(page: Page) -> Mapping[str, Fold]:
    """The folded blocks of a page by their ids."""
    above = page.template == "record" and BODY in [block.id for block in page.blocks]
    left: float = OPEN_LINES
    folded: dict[str, Fold] = {}
    for block in page.blocks:
        above = above and block.id != BODY
        if type(block) is Items and block.folded:
            folded[block.id] = (EVERYWHERE, block.folded)
        elif above:
            lines = _lines(block)
            if lines > left and isinstance(block, Items | Facts):
                folded[block.id] = (SMALL, _words(block))
            else:
                left -= lines
    return folded


def _lines(block: Block) -> float:
    """About how many lines of a phone a block takes."""
    if type(block) is Items:
        texts = [item.text + item.title for item in block.items]
        further = TIMELINE_LINES + len(texts) if block.timeline else 0
        return HEADING_LINES + further + sum([2 + len(text) // ITEM_CHARS for text in texts])
    if type(block) is Facts:
        return HEADING_LINES + sum([1.3 + len(fact.values[0].text) // FACT_CHARS for fact in block.facts])
    if type(block) is Nugget:
        return HEADING_LINES + len(block.text) // NUGGET_CHARS
    return CHART_LINES if type(block) is Chart else 0


def _words(block: Items | Facts) -> str:
    """How much a folded block holds."""
    if isinstance(block, Facts):
        return f"{len(block.facts)} details"
    return f"{len(block.items)} {'entry' if len(block.items) == 1 else 'entries'}"
