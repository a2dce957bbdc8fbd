"""Reports as tables for a terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from citepress.contract.reports import consumption, journeys, readership, traffic

Window = Literal["24h", "7d", "30d"]
NAMES: Mapping[str, str] = {
    path.removeprefix("/").removesuffix(".json"): path
    for path in (consumption.PATH, journeys.PATH, traffic.LATEST_PATH, traffic.HISTORY_PATH)
}
"""Paths of the reports by their names."""
PAGES = readership.PATH.partition("{")[0]
ROWS = 25
VERIFIED = ("signed", "ip_range", "fcrdns")


def path_of(name: str) -> str:
    """The path of a report by its name, by its path, or by a page's canonical path."""
    plain = name.strip("/").removesuffix(".json")
    if plain in NAMES:
        return NAMES[plain]
    return f"{PAGES}{plain.removeprefix(PAGES.strip('/') + '/')}.json"


def table(told: Mapping[str, Any], window: Window) -> Iterator[str]:
    """The lines of a report."""
    coverage = told["coverage"]
    yield f"{told['status']}, until {told['as_of']}, {coverage['observed_hours']:g} of {coverage['expected_hours']} hours observed"
    yield from _rows(told, window)


def lined(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Rows under a head: the first columns as text, whatever holds numbers alone to the right."""
    cells = [[_cell(value) for value in row] for row in rows]
    if not cells:
        yield "nothing"
        return
    widths = [max(len(text) for text in column) for column in zip(head, *cells, strict=True)]
    right = [all(text == "-" or text.replace(".", "", 1).isdecimal() for text in column) for column in zip(*cells, strict=True)]
    for row in (head, *cells):
        yield "  ".join(
            text.rjust(width) if number else text.ljust(width) for text, width, number in zip(row, widths, right, strict=True)
        ).rstrip()


def _rows(told: Mapping[str, Any], window: Window) -> Iterator[str]:
    head: tuple[str, ...]
    if "session_definition" in told:
        head = ("family", "operator", "purpose", "requests", "verified", "pages", "sessions", "depth p90")
        families = told["windows"][window]["families"][:ROWS]
        yield from lined(
            head,
            (
                [*map(one.get, head[:4]), _verified(one), one["unique_canonical_materials"], one["sessions"], one["session_depth"]["p90"]]
                for one in families
            ),
        )
    elif "canonical_path" in told:
        head = ("family", "operator", "purpose", "requests")
        span = told["windows"][window if window in told["windows"] else "observed"]
        yield f"{told['canonical_path']}: {_cell(span['requests'])} requests"
        yield from lined(head, ([one.get(name) for name in head] for one in span["by_family"][:ROWS]))
    elif "points" in told:
        head = ("day", "requests", "crawler", "ai_user_agent", "human_page_view", "machine_route", "scanner_noise")
        yield from lined(
            head, ([one["start"], one["total_requests"], *map(one["classes"].get, head[2:])] for one in told["points"][-ROWS:])
        )
    else:
        yield from _classes(told)


def _classes(told: Mapping[str, Any]) -> Iterator[str]:
    head = ("class", "requests", "successful_requests", "bytes_served")
    yield from lined(head, ([one[name] for name in head] for one in told["classes"]))
    yield ""
    if "operators" in told:
        rows = (
            [one["operator"], ", ".join(one["families"][:4]), one["requests"], _verified(one), one["unique_materials"]]
            for one in told["operators"][:ROWS]
        )
        yield from lined(("operator", "families", "requests", "verified", "pages"), rows)
    else:
        top = ("family", "class", "purpose", "requests")
        yield from lined(top, ([one[name] for name in top] for one in told["top_families"][:ROWS]))


def _verified(one: Mapping[str, Any]) -> int | None:
    known = [n for name in VERIFIED if (n := one["verification"][name]) is not None]
    return sum(known) if known else None


def _cell(value: object) -> str:
    return "-" if value is None else str(value)
