"""The reports on machine readers, from rollups to the overlay that every worker maps."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from citepress.app.incremental_reports import MANY, previous_reports, report_path
from citepress.app.registry import render_context
from citepress.app.telemetry import RANGES
from citepress.archive.model import Archive, Owner
from citepress.contract.page import Page
from citepress.contract.reports.head import Classifier, VerificationBasis
from citepress.contract.reports.traffic import HistoryAnnotation
from citepress.contract.site import Site, Telemetry
from citepress.edition.edition import Edition, open_edition, pointer
from citepress.edition.leaf import Leaf
from citepress.edition.overlay import Stamp, overlaid, print_overlay
from citepress.edition.pack import leaf_of
from citepress.edition.page_catalog import read_page_entries
from citepress.edition.render_context import RenderContext
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress.settings import Settings
from citepress.telemetry.identify.user_agents.table import shipped
from citepress.telemetry.identify.verification_sources import basis
from citepress.telemetry.identify.verify.ranges import RangesError
from citepress.telemetry.identify.verify.ranges import read as read_ranges
from citepress.telemetry.ports import Dimensions, Overlay, Rollups
from citepress.telemetry.reports.all_reports import Reports, reports
from citepress.telemetry.reports.data import ListedPage, ReportContext, ReportData, read_report_data

TURNS = 3
"""How often reports are rendered at most, while others publish at the same time."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ClassifierInfo:
    """What the classifier and the checks of identity tell of themselves."""

    classifier: Classifier
    basis: Mapping[str, Sequence[VerificationBasis]] | None = None
    """What checks stand on, by family; ``None``: what the table of families and the fetched lists say."""


@dataclass(frozen=True, slots=True)
class RenderedReports:
    """A generation of reports that workers will show."""

    generation: int
    as_of: int
    """The hour after the last one counted."""
    documents: int
    size: int
    """Bytes of the pack."""


def render(
    settings: Settings,
    rollups: Rollups,
    dimensions: Dimensions,
    overlay: Overlay,
    judged: ClassifierInfo,
    now: datetime,
    *,
    many: int = MANY,
) -> RenderedReports | None:
    """Render every report and publish it; ``None`` before the first closed hour. Raises ``StoreUnavailable`` and ``PackError``.

    From ``many`` pages on, reports of pages that nobody fetched are rendered once a day. Where it raises, the reports before
    stay as they are. Where another process has published meanwhile (an import beside the aggregator), what it knew may be newer than
    what was read here: it is read again.
    """
    newest, made = overlay.newest(), _made(settings, rollups, dimensions, overlay, judged, now, many)
    for _ in range(TURNS - 1):
        if made is None or newest == (newest := overlay.newest()):
            break
        made = _made(settings, rollups, dimensions, overlay, judged, now, many)
    if made is None:
        return None
    rendered, pack = made
    overlay.put(rendered.generation, rendered.as_of, pack)
    return rendered


def _made(
    settings: Settings, rollups: Rollups, dimensions: Dimensions, overlay: Overlay, judged: ClassifierInfo, now: datetime, many: int
) -> tuple[RenderedReports, bytes] | None:
    """A generation and its pack, which is not published yet."""
    seen = read_report_data(rollups, dimensions)
    if seen is None:
        return None
    edition = open_edition(pointer(settings.state))
    setting, at = setting_of(settings, edition, judged, now), _desk(edition)
    generation = max(int(now.timestamp()), (overlay.newest() or 0) + 1)
    with TemporaryDirectory(dir=settings.state, prefix="overlay-") as folder:
        file = Path(folder) / "next.pack"
        before = previous_reports(overlay, rollups, edition, setting, seen, Path(folder) / "former.pack", many)
        made = reports(setting, seen, before.stale if before else None)
        whole = before.whole if before else seen.as_of
        stamp = Stamp(generation, edition.facts["base_url"], at.assets["site.css"], edition.digest, seen.as_of, whole)
        taken = before.reports(setting.catalogue) if before else ()
        count = print_overlay(file, _leaves(edition, at, made, now), stamp, taken)
        pack = file.read_bytes()
    return RenderedReports(generation, seen.as_of, count, len(pack)), pack


def document(settings: Settings, seen: ReportData, judged: ClassifierInfo, path: str, now: datetime) -> bytes | None:
    """One report by its path, as JSON; ``None`` where there is no such report. Raises ``PackError``."""
    made = reports(setting_of(settings, open_edition(pointer(settings.state)), judged, now), seen)
    if path in made.documents:
        return made.documents[path]
    return next((body for found, body in made.readership if found == path), None)


def setting_of(settings: Settings, edition: Edition, judged: ClassifierInfo, now: datetime) -> ReportContext:
    """What reports say that no count tells, from the facts of an edition."""
    site = _site(edition)
    told = site.telemetry
    return ReportContext(
        base_url=site.url(""), title=site.title, generated_at=now, catalogue=tuple(_listed(edition)), classifier=judged.classifier,
        min_count=told.min_count, user_action_min=told.user_action_min, retention_hours=told.retention_hours, keeps_unlisted=told.keep_unlisted,
        basis=_basis(settings, told) if judged.basis is None else judged.basis, annotations=tuple(HistoryAnnotation.model_validate(one.model_dump()) for one in told.annotations),
    )  # fmt: skip


def open_edition_with_reports(overlay_pointer: Path, pointed: Path) -> Edition:
    """The edition that a pointer names under the newest reports. Raises ``PackError`` when the edition is not whole."""
    return overlaid(open_edition(pointed), overlay_pointer)


def _basis(settings: Settings, told: Telemetry) -> Mapping[str, Sequence[VerificationBasis]]:
    try:
        fetched = read_ranges(settings.state / RANGES)
    except RangesError as error:
        log.warning("reports name no address lists: %s", error)
        fetched = {}
    return basis(shipped().rows, fetched, reverse_dns=told.reverse_dns, signatures=told.signatures)


def _site(edition: Edition) -> Site:
    return Site.model_validate({name: value for name, value in edition.facts.items() if name in Site.model_fields})


def _listed(edition: Edition) -> Iterator[ListedPage]:
    """The pages that have a readership report, as the edition's own form of it names them."""
    for material in read_page_entries(edition):
        bodies = edition.bodies(report_path(material.canonical))
        if bodies:
            told = orjson.loads(bodies["identity"])
            moment = told["published_at"] and datetime.fromisoformat(told["published_at"])
            yield ListedPage(told["canonical_path"], told["canonical_url"], told["kind"], moment, told["representations"])


def _leaves(edition: Edition, at: RenderContext, made: Reports, now: datetime) -> Iterator[Leaf]:
    """Every report as the leaf that the edition has for it, with what was counted in place of its body."""
    modified = int(now.timestamp())
    for path, body in (*_written(at, made.page, made.documents), *made.documents.items()):
        yield from _standing(edition, path, body, modified)
    for path, body in made.readership:
        yield from _standing(edition, path, body, modified)


def _written(at: RenderContext, page: Page, documents: Mapping[str, bytes]) -> Iterable[tuple[str, bytes]]:
    """The page in every form that no document is already."""
    paths = ((form, form.path(page.path)) for form in at.forms)
    return [(path, form.write(page, at)) for form, path in paths if path not in documents]


def _standing(edition: Edition, path: str, body: bytes, modified: int) -> Iterator[Leaf]:
    meta = edition.meta(path)
    if meta and meta["live"]:
        yield replace(leaf_of(meta, body), modified=modified)


def _desk(edition: Edition) -> RenderContext:
    """A desk that can write a page for the site of an edition; its archive holds no records."""
    site, frame = _site(edition), edition.facts.get("frame") or {}
    empty: dict[str, Any] = {}
    return render_context(
        Archive(
            site=site, kinds=KINDS, registries=REGISTRIES, entries=empty, collections={kind.name: () for kind in KINDS}, topics=empty,
            ledger=empty, aliases=empty, origins=empty, datasets=(), owner=Owner(frame.get("owner", site.title), "Organization", "", "", empty, ""),
            registered=empty, pages=empty, redirects=empty, withdrawn=(), changes=(),
            as_of=datetime.fromisoformat(edition.facts["as_of"]), templates=frame.get("templates", empty),
        )
    )  # fmt: skip
