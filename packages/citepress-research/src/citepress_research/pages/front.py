"""Parts of the front page: open forecasts and contested patterns."""

from collections.abc import Iterator

from citepress.contract.page import Block, Item, Items
from citepress.edition.pages.collections import rest
from citepress.edition.render_context import RenderContext
from citepress_research.kinds.forecasts import KIND as FORECASTS
from citepress_research.kinds.patterns import KIND as PATTERNS
from citepress_research.kinds.patterns import TrendPatternRecord
from citepress_research.pages.calibration import forecasts_of, open_items

MAX_OPEN_FORECASTS, CONTESTED = 5, 5
"""Records that each part shows."""


def forecasts(context: RenderContext) -> Iterator[Block]:
    """The open forecasts that resolve first."""
    records = forecasts_of(context)
    waiting = sum(record.status == "open" for record in records)
    if items := open_items(records, MAX_OPEN_FORECASTS):
        yield Items("open-forecasts", "Open forecasts", (*items, *rest(waiting, len(items), FORECASTS.path)))


def contested(context: RenderContext) -> Iterator[Block]:
    """The newest patterns that are contested."""
    records = [entry.record for entry in context.archive.collections.get(PATTERNS.name, ())]
    patterns = [record for record in records if isinstance(record, TrendPatternRecord) and record.status == "contested"]
    items = [Item(p.statement, None, f"/{p.id}/", p.title, language=p.language) for p in patterns[:CONTESTED]]
    if items:
        yield Items("contested", "Contested", (*items, *rest(len(patterns), len(items), PATTERNS.path)))
