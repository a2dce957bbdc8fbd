"""What archives allow: how many present questions could be called covered if each archive had its best threshold."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

PANEL, MARGIN, RADIUS = 420, 44, 4


class Trade(NamedTuple):
    """The present questions of an archive that are called covered, and what its best threshold would give."""

    covered: float
    possible: float
    """With the highest share of removed and off-topic questions called covered that the bars allow."""
    removed: float
    """Removed questions that are called covered."""


def possible(present: Sequence[float], others: Sequence[tuple[Sequence[float], float]]) -> float:
    """The highest share of ``present`` that a threshold reaches with which no others exceed their share.

    Each number is the highest threshold with which a question is called covered, 0 for none.
    """
    for line in sorted({*present} - {0.0}):
        if all(_share(rows, line) <= bar for rows, bar in others):
            return _share(present, line)
    return 0.0


def _share(rows: Sequence[float], line: float) -> float:
    return sum(row >= line for row in rows) / (len(rows) or 1)


def report(trades: Sequence[Trade], present: float, removed: float) -> None:
    """Print how many archives reach the bar of present questions, and how many could."""
    allowed = [trade for trade in trades if trade.possible >= present]
    reached = sum(trade.covered >= present and trade.removed <= removed for trade in trades)
    missed = sum(trade.covered < present for trade in allowed)
    print(
        f"  frontier: the other bars allow present covered ≥ {present} in {len(allowed)} of {len(trades)} archives;"
        f" {missed} of these are below; {reached} archives hold both"
    )


def picture(trades: Mapping[str, Trade], present: float, removed: float) -> str:
    """A point for each archive: what its best threshold allows, and what is covered; red where removed ones exceed."""
    side = PANEL + 2 * MARGIN
    bar = present * PANEL
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" width="{side}" height="{side}"'
            ' font-family="sans-serif" font-size="10" fill="#333">'
        ),
        f'<rect width="{side}" height="{side}" fill="#fff"/>',
        f'<text x="{MARGIN}" y="16" font-size="12">Present questions called covered, of {len(trades)} archives</text>',
        f'<text x="{MARGIN}" y="30">red: more than {100 * removed:.0f} % of the removed are called covered too</text>',
        f'<path d="M{MARGIN} {MARGIN}v{PANEL}h{PANEL}" stroke="#ccc" fill="none"/>',
        f'<path d="M{MARGIN} {MARGIN + PANEL}l{PANEL} -{PANEL}" stroke="#999" fill="none"/>',
        (
            f'<path d="M{MARGIN + bar:.1f} {MARGIN}v{PANEL}M{MARGIN} {MARGIN + PANEL - bar:.1f}h{PANEL}" stroke="#ccc"'
            ' stroke-dasharray="4 3" fill="none"/>'
        ),
        f'<text x="{MARGIN}" y="{MARGIN + PANEL + 14}">0</text>',
        f'<text x="{MARGIN + bar:.1f}" y="{MARGIN + PANEL + 14}" text-anchor="middle">{present}</text>',
        f'<text x="{MARGIN + PANEL - 4}" y="{MARGIN + PANEL + 14}">1</text>',
        f'<text x="{side // 2}" y="{side - 12}" text-anchor="middle">with the best threshold of the archive</text>',
        f'<text transform="rotate(-90 20 {side // 2})" x="20" y="{side // 2}" text-anchor="middle">covered</text>',
    ]
    for name, trade in trades.items():
        x, y = MARGIN + trade.possible * PANEL, MARGIN + PANEL - trade.covered * PANEL
        colour = "#c1121f" if trade.removed > removed else "#2a6f97"
        lines.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" fill="{colour}" fill-opacity="0.6">'
            f"<title>{name}</title></circle>"
        )
    return "\n".join([*lines, "</svg>"]) + "\n"
