"""Reports of pages that nobody fetched lately are taken from the previous generation in large archives."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from citepress.edition.edition import Edition
from citepress.edition.pack import Pack, PackError
from citepress_telemetry.contract import readership
from citepress_telemetry.ports import Overlay
from citepress_telemetry.reports.data import DAY_HOURS, ListedPage, ReportContext, ReportData
from citepress_telemetry.reports.suppression import withheld
from citepress_telemetry.sql.rollups import SqlRollups

MANY = 50_000
"""Pages from which reports of unread pages are rendered once a day; each has its own ``as_of``."""
KEPT_HOURS = 2 * DAY_HOURS
"""Hours for which the rollups know single fetches."""


@dataclass(frozen=True, slots=True)
class PreviousReports:
    """The generation before, and the pages whose reports have changed since."""

    pack: Pack
    whole: int
    """The hour up to which every page's report was rendered last."""
    changed: frozenset[str]
    """Canonical paths of pages that were fetched in the last day of that generation or since."""

    def stale(self, canonical: str) -> bool:
        """Whether the report of a page has to be rendered."""
        return canonical in self.changed or self.pack.meta(report_path(canonical)) is None

    def reports(self, catalogue: Iterable[ListedPage]) -> Iterator[tuple[Pack, dict[str, Any]]]:
        """Meta records of the reports that stay as they are, with the pack that holds them."""
        for page in catalogue:
            if page.canonical_path not in self.changed and (meta := self.pack.meta(report_path(page.canonical_path))):
                yield self.pack, meta


def report_path(canonical: str) -> str:
    """The path of the report of a page."""
    return readership.READERSHIP_PATH.replace("{canonical_path}", canonical)


def previous_reports(
    overlay: Overlay,
    rollups: SqlRollups,
    edition: Edition,
    context: ReportContext,
    data: ReportData,
    file: Path,
    many: int = MANY,
) -> PreviousReports | None:
    """The previous generation, if the archive is large and nothing but counts has changed.

    ``file`` is where it may be written.
    """
    newest = overlay.newest()
    if len(context.catalogue) <= many or newest is None:
        return None
    pack_bytes = overlay.get(newest)
    if pack_bytes is None:
        return None
    file.write_bytes(pack_bytes)
    try:
        pack = Pack(file)
    except PackError:
        return None
    notes = pack.notes
    if notes.get("edition") != edition.digest or notes["base_url"] != edition.config.base_url:
        return None
    since = notes["as_of"] - DAY_HOURS
    if notes["whole"] + DAY_HOURS <= data.as_of or since < data.as_of - KEPT_HOURS:
        return None
    recent = withheld(replace(data, reads=rollups.reads(since, data.as_of)), context.user_action_min)
    changed = {key.material for key in recent.reads if key.material in data.materials}
    return PreviousReports(
        pack, notes["whole"], frozenset(data.materials[material].canonical_path for material in changed)
    )
