"""The charts of a dataset as blocks of pages, with its rows counted or added up as declared."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from citepress.archive.model import Archive, Dataset
from citepress.base.text import counted
from citepress.content.dataset_charts import NUMBERS, DatasetChart
from citepress.contract.page import Chart, Link, Series, Table

MAX_BARS, MAX_SERIES, MAX_POINTS = 12, 7, 400
"""Values of ``x`` in bars and dots, series, and points of a line. Further values and series are combined as "others"; a
line keeps its last points."""
MAX_NAMED_VALUES = 3
"""Values that the generated summary names."""
STEPS = {"year": 4, "month": 7, "day": 10}
"""Leading characters of a date that make up its step."""
DRAWN: Mapping[str, Literal["bars", "line", "dots", "areas"]] = {
    "bar": "bars",
    "line": "line",
    "dot": "dots",
    "multiples": "areas",
}
MAX_EXACT, MAX_DRAWN = 2**53, 1e300
"""Up to which a sum is written as a whole number, and from which it is left out as unknown: it would soon overflow."""
OTHERS = "others"
Sums = dict[str, dict[str, float]]
"""Values by series and label."""


def charts_of(dataset: Dataset) -> Iterator[Chart]:
    """Every chart of the newest version."""
    return (chart_block(dataset, chart) for chart in dataset.charts)


def named_chart(name: str, archive: Archive) -> Chart | None:
    """The chart that a record names, ``datasets/<name>`` or with ``#`` and an anchor; ``None`` where there is none."""
    wanted, _, anchor = name.removeprefix("datasets/").partition("#")
    dataset = next((dataset for dataset in archive.datasets if dataset.name == wanted), None)
    charts = dataset.charts if dataset else ()
    chart = next((chart for chart in charts if anchor in ("", chart.anchor)), None)
    return chart_block(dataset, chart) if dataset and chart else None


def chart_block(dataset: Dataset, chart: DatasetChart) -> Chart:
    """One chart with a table of its numbers and a link to its source."""
    newest = dataset.versions[-1]
    sums = _sums(newest.rows, chart)
    sorts = {column.name: column for column in newest.columns}
    ordered = chart.kind in ("line", "multiples") or bool(chart.step) or sorts[chart.x].type in NUMBERS
    ordered = ordered or sorts[chart.x].format == "date"
    labels = _labels(sums, chart, ordered=ordered)
    names = _names(sums)
    values = {name: _values(sums, name, names, labels, chart) for name in names}
    unit = chart.y or "rows"
    return Chart(
        f"chart-{chart.anchor}",
        chart.title,
        DRAWN[chart.kind],
        chart.summary or _summary(labels, values, unit, ordered=ordered),
        tuple(labels),
        tuple(Series(name or unit, tuple(values[name])) for name in names),
        _table(chart, labels, values, unit),
        json_href=f"{dataset.path}{newest.version}.json",
        source=Link(f"{dataset.title}, {newest.version}", dataset.path),
    )


def _sums(rows: Iterable[Mapping[str, object]], chart: DatasetChart) -> Sums:
    sums: Sums = defaultdict(lambda: defaultdict(float))
    for row in rows:
        label, number = row.get(chart.x), row.get(chart.y) if chart.y else 1
        if label in (None, "") or not isinstance(number, int | float):
            continue
        name = _text(row.get(chart.by)) if chart.by else ""
        sums[name or ("not stated" if chart.by else "")][_text(label)[: STEPS.get(chart.step or "")]] += number
    return sums


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _labels(sums: Sums, chart: DatasetChart, *, ordered: bool) -> list[str]:
    """The values along the chart: in their own order, or the largest first and the rest as "others"."""
    totals: dict[str, float] = defaultdict(float)
    for values in sums.values():
        for label, value in values.items():
            totals[label] += value
    if ordered:
        return _without_gaps(sorted(totals, key=_place), chart)[-MAX_POINTS:]
    ranked = sorted(totals, key=lambda label: (-totals[label], label))
    return ranked if len(ranked) <= MAX_BARS else [*ranked[: MAX_BARS - 1], OTHERS]


def _place(label: str) -> tuple[float, str]:
    """Sort key: numbers by value, then everything else as text."""
    try:
        return float(label), ""
    except ValueError:
        return float("inf"), label


def _without_gaps(labels: Sequence[str], chart: DatasetChart) -> list[str]:
    """Every year from the first to the last, with or without rows; other steps unchanged."""
    if chart.step != "year" or not labels or not (labels[0].isdecimal() and labels[-1].isdecimal()):
        return list(labels)
    return [str(year) for year in range(int(labels[0]), int(labels[-1]) + 1)]


def _names(sums: Sums) -> list[str]:
    """The series, the largest first; those beyond the colours of the theme are combined as "others"."""
    ranked = sorted(sums, key=lambda name: (-sum(sums[name].values()), name))
    return ranked if len(ranked) <= MAX_SERIES else [*ranked[: MAX_SERIES - 1], OTHERS]


def _values(
    sums: Sums, name: str, names: Sequence[str], labels: Sequence[str], chart: DatasetChart
) -> list[float | None]:
    """The numbers of a series. A label without a row is 0 if rows are counted, and unknown if a column is added up."""
    parts = [sums[name]] if name in sums else [values for other, values in sums.items() if other not in names]
    shown = frozenset(labels)
    numbers: list[float | None] = []
    for label in labels:
        summands = (
            [value for part in parts for other, value in part.items() if other not in shown]
            if label == OTHERS and not any(OTHERS in part for part in parts)
            else [part[label] for part in parts if label in part]
        )
        total = _whole(sum(summands)) if summands else (None if chart.y else 0)
        numbers.append(total if total is None or abs(total) <= MAX_DRAWN else None)
    return numbers


def _whole(number: float) -> float:
    return int(number) if abs(number) <= MAX_EXACT and number == int(number) else number


def _summary(labels: Sequence[str], values: Mapping[str, Sequence[float | None]], unit: str, *, ordered: bool) -> str:
    """The largest values in a sentence."""
    columns = zip(*values.values(), strict=True)
    sums = {label: _whole(sum(number or 0 for number in column)) for label, column in zip(labels, columns, strict=True)}
    largest = sorted(sums, key=lambda label: (-sums[label], label))[: 1 if ordered else MAX_NAMED_VALUES]
    named = ", ".join(f"{label} ({sums[label]:,})" for label in largest if label != OTHERS)
    span = f" from {labels[0]} to {labels[-1]}" if ordered and labels else ""
    total = _whole(sum(sums.values()))
    whole = counted(int(total), "row") if unit == "rows" else f"{total:,} {unit} in all"
    return f"{whole}{span}. Most: {named}." if named else f"{whole}."


def _table(
    chart: DatasetChart, labels: Sequence[str], values: Mapping[str, Sequence[float | None]], unit: str
) -> Table:
    columns = (chart.x, *(name or unit for name in values))
    rows = tuple(
        (Link(label), *(Link("" if numbers[place] is None else f"{numbers[place]:,}") for numbers in values.values()))
        for place, label in enumerate(labels)
    )
    return Table("", chart.title, columns, rows)
