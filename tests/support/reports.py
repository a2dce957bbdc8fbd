"""An archive whose reports were rendered from a real store, without waiting for an hour to pass."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from citepress.admin.build import Builder
from citepress.app.registry import render_context
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.edition.page_catalog import read_page_entries
from citepress.settings import Settings, from_environment
from citepress.stores.local.overlay import LocalOverlay
from citepress_telemetry.aggregation import current_edition
from citepress_telemetry.reports.publication import ClassifierInfo, RenderedReports, ReportPublisher
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.stores import open_rollup_store
from support.rollups import CLASSIFIER, END, NOW, seed

BASE = "http://archive.test"


@dataclass
class CountedArchive:
    """A built edition, and a store with the counts of some hours."""

    settings: Settings
    pages: tuple[str, ...]
    """Records first."""

    def count(self, hours: range) -> None:
        """Close hours of made-up traffic, on four pages."""
        database = open_rollup_store(self.settings.state)
        seed(SqlRollups(database), SqlDimensions(database), self.pages[:4], hours)
        database.close()

    def render(self, **options: Any) -> RenderedReports | None:
        """Render every report."""
        database = open_rollup_store(self.settings.state)
        try:
            publisher = ReportPublisher(
                self.settings.state,
                partial(current_edition, self.settings),
                SqlRollups(database),
                SqlDimensions(database),
                render_context,
                ClassifierInfo(CLASSIFIER),
            )
            return publisher.publish(LocalOverlay(self.settings.state), NOW, **options)
        finally:
            database.close()


def counted_archive_in(root: Path, state: Path, hours: int = 0) -> CountedArchive:
    """The edition of a content folder, and counts of so many hours up to the usual one."""
    settings = from_environment(root, state=state, base_url=BASE, environ={})
    counted_archive = CountedArchive(settings, built(settings))
    counted_archive.count(range(END - hours, END))
    return counted_archive


def built(settings: Settings) -> tuple[str, ...]:
    """Build the edition of a content folder; its pages, records first."""
    edition = Builder(settings).ensure(clock.now())
    names = (entry.canonical for entry in read_page_entries(open_edition(edition.pointer)))
    return tuple(sorted(names, key=lambda name: (not name.startswith("posts/"), name)))
