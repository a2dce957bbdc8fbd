"""The reports of one moment: the same rollups and the same setting give the same bytes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from citepress.base.canonical import json_bytes
from citepress.contract.page import Page
from citepress.contract.reports import consumption, journeys, readership
from citepress.contract.reports import traffic as paths
from citepress.telemetry.reports import readership as pages
from citepress.telemetry.reports import traffic
from citepress.telemetry.reports.consumption import report as consumption_report
from citepress.telemetry.reports.data import ReportContext, ReportData
from citepress.telemetry.reports.html.page import Documents, page
from citepress.telemetry.reports.journeys import report as journeys_report
from citepress.telemetry.reports.suppression import withheld


@dataclass(frozen=True, slots=True)
class Reports:
    """Everything that a moment's rollups are published as."""

    documents: Mapping[str, bytes]
    """JSON bodies by path, without the readership of single pages."""
    page: Page
    """The page for people."""
    readership: Iterator[tuple[str, bytes]]
    """(path, body) of each page's readership; made while it is read."""


def reports(setting: ReportContext, seen: ReportData, stale: Callable[[str], bool] | None = None) -> Reports:
    """Every report; of single pages only those whose canonical path is ``stale``, all where nothing is said."""
    seen = withheld(seen, setting.user_action_min)
    told = Documents(consumption_report(setting, seen), journeys_report(setting, seen), traffic.history(setting, seen))
    documents = {
        consumption.PATH: json_bytes(told.consumption),
        journeys.PATH: json_bytes(told.journeys),
        paths.LATEST_PATH: json_bytes(traffic.snapshot(setting, seen)),
        paths.HISTORY_PATH: json_bytes(told.history),
    }
    return Reports(documents, page(setting, seen, told), _readership(setting, seen, stale))


def _readership(setting: ReportContext, seen: ReportData, stale: Callable[[str], bool] | None) -> Iterator[tuple[str, bytes]]:
    fill = partial(readership.PATH.replace, "{canonical_path}")
    wanted = setting if stale is None else replace(setting, catalogue=[page for page in setting.catalogue if stale(page.canonical_path)])
    for name, document in pages.reports(wanted, seen):
        yield fill(name), json_bytes(document)
