"""The reports of one moment: the same rollups and the same context give the same bytes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from citepress.base.canonical import json_bytes
from citepress.contract.page import Page
from citepress_telemetry.contract import consumption, journeys, readership
from citepress_telemetry.contract import traffic as paths
from citepress_telemetry.reports import readership as pages
from citepress_telemetry.reports import traffic
from citepress_telemetry.reports.consumption import report as consumption_report
from citepress_telemetry.reports.data import ReportContext, ReportData
from citepress_telemetry.reports.html.page import Documents, page
from citepress_telemetry.reports.journeys import report as journeys_report
from citepress_telemetry.reports.suppression import withheld


@dataclass(frozen=True, slots=True)
class Reports:
    """Everything that a moment's rollups are published as."""

    documents: Mapping[str, bytes]
    """JSON bodies by path, without the readership of single pages."""
    page: Page
    """The page for people."""
    readership: Iterator[tuple[str, bytes]]
    """(path, body) of each page's readership; made while it is read."""


def reports(context: ReportContext, data: ReportData, stale: Callable[[str], bool] | None = None) -> Reports:
    """Every report; of single pages only those whose canonical path is ``stale``, all of them without it."""
    data = withheld(data, context.user_action_min)
    documents = Documents(
        consumption_report(context, data), journeys_report(context, data), traffic.history(context, data)
    )
    bodies = {
        consumption.CONSUMPTION_PATH: json_bytes(documents.consumption),
        journeys.JOURNEYS_PATH: json_bytes(documents.journeys),
        paths.LATEST_PATH: json_bytes(traffic.snapshot(context, data)),
        paths.HISTORY_PATH: json_bytes(documents.history),
    }
    return Reports(bodies, page(context, data, documents), _readership(context, data, stale))


def _readership(
    context: ReportContext, data: ReportData, stale: Callable[[str], bool] | None
) -> Iterator[tuple[str, bytes]]:
    if stale is not None:
        context = replace(context, catalogue=[page for page in context.catalogue if stale(page.canonical_path)])
    for canonical_path, document in pages.reports(context, data):
        yield readership.READERSHIP_PATH.replace("{canonical_path}", canonical_path), json_bytes(document)
