"""An archive whose reports were rendered from a real store, without waiting for an hour to pass."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citepress.app import Builder
from citepress.app.reports import ClassifierInfo, RenderedReports, render
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.edition.page_catalog import read_page_entries
from citepress.settings import Settings, from_environment
from citepress.stores.local.overlay import LocalOverlay
from citepress.stores.sql.migrate import open_rollup_store
from citepress.stores.sql.telemetry.dimensions import SqlDimensions
from citepress.stores.sql.telemetry.rollups import SqlRollups
from support.rollups import CLASSIFIER, END, NOW, seed

BASE = "http://archive.test"


@dataclass
class Counted:
    """A built edition, and a store with the counts of some hours."""

    settings: Settings
    pages: tuple[str, ...]
    """Records first."""

    def count(self, hours: range) -> None:
        """Close hours of made-up traffic, on four pages."""
        database = open_rollup_store(self.settings.state)
        seed(SqlRollups(database), SqlDimensions(database), self.pages[:4], hours)
        database.close()

    def render(self, **told: Any) -> RenderedReports | None:
        """Render every report."""
        database = open_rollup_store(self.settings.state)
        try:
            overlay = LocalOverlay(self.settings.state)
            return render(self.settings, SqlRollups(database), SqlDimensions(database), overlay, ClassifierInfo(CLASSIFIER), NOW, **told)
        finally:
            database.close()


def counted(root: Path, state: Path, hours: int = 0) -> Counted:
    """The edition of a content folder, and counts of so many hours up to the usual one."""
    settings = from_environment(root, state=state, base_url=BASE, environ={})
    found = Counted(settings, built(settings))
    found.count(range(END - hours, END))
    return found


def built(settings: Settings) -> tuple[str, ...]:
    """Build the edition of a content folder; its pages, records first."""
    edition = Builder(settings).ensure(clock.now())
    names = (one.canonical for one in read_page_entries(open_edition(edition.pointer)))
    return tuple(sorted(names, key=lambda name: (not name.startswith("posts/"), name)))
