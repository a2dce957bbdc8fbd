"""What a large archive need not render again: reports of pages that nobody fetched lately, taken from the generation before."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from citepress.contract.reports import readership
from citepress.edition.edition import Edition
from citepress.edition.pack import Pack, PackError
from citepress.telemetry.ports import Overlay, Rollups
from citepress.telemetry.reports.data import DAY_HOURS, ListedPage, ReportContext, ReportData
from citepress.telemetry.reports.suppression import withheld

MANY = 50_000
"""Pages from which reports of pages that are not read are rendered once a day; each tells its own ``as_of``."""
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

    def reports(self, catalogue: Iterable[ListedPage]) -> Iterator[tuple[dict[str, Any], dict[str, bytes | memoryview]]]:
        """Meta records and bodies of the reports that stay as they are."""
        for page in catalogue:
            if page.canonical_path not in self.changed and (meta := self.pack.meta(report_path(page.canonical_path))):
                yield meta, self.pack.bodies(meta)


def report_path(canonical: str) -> str:
    """Where the report of a page stands."""
    return readership.PATH.replace("{canonical_path}", canonical)


def previous_reports(
    overlay: Overlay, rollups: Rollups, edition: Edition, setting: ReportContext, seen: ReportData, file: Path, many: int = MANY
) -> PreviousReports | None:
    """The generation before, where the archive is large and nothing but counts has changed; ``file`` is where it may be put."""
    newest = overlay.newest()
    if len(setting.catalogue) <= many or newest is None or (data := overlay.get(newest)) is None:
        return None
    file.write_bytes(data)
    try:
        pack = Pack(file)
    except PackError:
        return None
    notes = pack.notes
    if notes.get("edition") != edition.digest or notes["base_url"] != edition.facts["base_url"]:
        return None
    since = notes["as_of"] - DAY_HOURS
    if notes["whole"] + DAY_HOURS <= seen.as_of or since < seen.as_of - KEPT_HOURS:
        return None
    materials = {key.material for key in withheld(replace(seen, reads=rollups.reads(since, seen.as_of)), setting.user_action_min).reads}
    return PreviousReports(
        pack, notes["whole"], frozenset(seen.materials[one].canonical_path for one in materials if one in seen.materials)
    )
