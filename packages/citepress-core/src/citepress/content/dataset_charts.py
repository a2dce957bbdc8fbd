"""The charts that the ``README.md`` of a dataset declares, and the check against its columns."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from citepress.base.slugs import slugify
from citepress.base.text import did_you_mean
from citepress.content.source_map import SourceFile
from citepress.contract.fault import BAD_DATASET, Fault
from citepress.contract.model import Model, OneLine
from citepress.contract.record import Title

NUMBERS = frozenset({"integer", "number"})
"""The types of columns that can be added up."""


class DatasetChart(Model):
    """A chart of the newest version, drawn when the archive is built."""

    title: Title
    """Its title, which makes its anchor."""
    kind: Literal["bar", "line", "dot", "multiples"] = "bar"
    """Bars or dots for the values of a column, a line over an ordered column, or a panel for each series."""
    x: OneLine
    """The column on the horizontal axis."""
    y: OneLine | None = None
    """A column of numbers to add up for each value of ``x``; by default, rows are counted."""
    by: OneLine | None = None
    """A column with a series for each of its values."""
    step: Annotated[Literal["year", "month", "day"] | None, Field()] = None
    """How dates of ``x`` are grouped."""
    summary: OneLine | None = None
    """What a reader should see in it; by default its largest values."""

    @property
    def anchor(self) -> str:
        """Its anchor on the page of the dataset, by which a record names it."""
        return slugify(self.title)


def chart_faults(
    charts: Sequence[DatasetChart], sorts: Mapping[str, str], rows: Collection[Mapping[str, Any]], file: SourceFile
) -> Iterator[Fault]:
    """A fault for each column of a chart that is missing or cannot be drawn, and for charts with the same anchor.

    ``sorts`` are the types of the columns; ``rows`` are the rows of the newest version.
    """
    anchors: set[str] = set()
    for place, chart in enumerate(charts):
        if not chart.anchor or chart.anchor in anchors:
            yield _fault(file, place, "title", "another chart is called alike", "name it differently")
        anchors.add(chart.anchor)
        for member, name in (("x", chart.x), ("y", chart.y), ("by", chart.by)):
            if name is not None and name not in sorts:
                hint = did_you_mean(name, sorts) or f"its columns are {', '.join(sorts)}"[:200]
                yield _fault(file, place, member, f"there is no column {name!r}", hint)
        if chart.y and chart.y in sorts and sorts[chart.y] not in NUMBERS:
            hint = "name a column of type integer or number, or leave y out to count rows"
            yield _fault(file, place, "y", f"{chart.y!r} is of type {sorts[chart.y]}", hint)
        elif chart.y and any((row.get(chart.y) or 0) < 0 for row in rows):
            hint = "charts begin at zero: name a column of numbers of at least 0"
            yield _fault(file, place, "y", f"{chart.y!r} has negative numbers", hint)


def _fault(file: SourceFile, place: int, member: str, message: str, hint: str) -> Fault:
    at = file.locate(("charts", place, member))
    return Fault.at(BAD_DATASET, at, f"charts[{place}].{member}: {message}", hint)
