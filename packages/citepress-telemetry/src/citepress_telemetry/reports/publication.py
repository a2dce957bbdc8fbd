"""Publishes the reports on machine readers, from rollups to the overlay that every worker maps."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from citepress.base import fast_json
from citepress.contract.page import Page
from citepress.contract.settings_table import settings_of
from citepress.edition.edition import Edition
from citepress.edition.leaf import Leaf
from citepress.edition.overlay import Stamp, print_overlay
from citepress.edition.pack import leaf_of
from citepress.edition.page_catalog import read_page_entries
from citepress.edition.page_context import Rendering, page_context
from citepress.edition.render_context import RenderContext
from citepress.edition.theme import style
from citepress_telemetry.contract.head import Classifier, ClassifierSource, VerificationBasis
from citepress_telemetry.contract.traffic import HistoryAnnotation
from citepress_telemetry.edition_pages import material_rows
from citepress_telemetry.identify.user_agents.table import shipped
from citepress_telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress_telemetry.identify.verification_sources import basis
from citepress_telemetry.identify.verify.ranges import RANGES_FILE as RANGES
from citepress_telemetry.identify.verify.ranges import RangesError, read_ranges
from citepress_telemetry.ports import Overlay
from citepress_telemetry.reports.all_reports import Reports, reports
from citepress_telemetry.reports.data import ListedPage, ReportContext, ReportData, read_report_data
from citepress_telemetry.reports.incremental import MANY, previous_reports, report_path
from citepress_telemetry.settings import TelemetryRules
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.rollups import SqlRollups

MAX_RENDER_ATTEMPTS = 3
"""How often reports are rendered at most, while others publish at the same time."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ClassifierInfo:
    """What reports state about the classifier and the verification of identities."""

    classifier: Classifier
    basis: Mapping[str, Sequence[VerificationBasis]] | None = None
    """What verification rests on, by family; ``None`` for what the table of families and the fetched lists say."""


def classifier_info(classifier: UserAgentClassifier) -> ClassifierInfo:
    """What reports state about a classifier."""
    sources = [
        ClassifierSource(name=source.name, version=source.version, license=source.license)
        for source in classifier.sources
    ]
    return ClassifierInfo(Classifier(version=classifier.version, sources=sources))


@dataclass(frozen=True, slots=True)
class RenderedReports:
    """A generation of reports that workers will show."""

    generation: int
    as_of: int
    """The hour after the last one counted."""
    documents: int
    size: int
    """Bytes of the pack."""


@dataclass(frozen=True, slots=True)
class ReportPublisher:
    """Renders the reports of one state folder over its stores."""

    state: Path
    edition: Callable[[], Edition]
    """Opens the current edition."""
    rollups: SqlRollups
    dimensions: SqlDimensions
    rendering: Rendering
    info: ClassifierInfo

    def publish(self, overlay: Overlay, now: datetime, *, many: int = MANY) -> RenderedReports | None:
        """Render every report and publish it; ``None`` before the first closed hour.

        From ``many`` pages on, reports of pages that nobody fetched are rendered once a day. Raises
        ``StoreUnavailable`` and ``PackError``; the previous reports then stay as they are.
        """
        newest, rendered = overlay.newest(), self._rendered(overlay, now, many)
        for _ in range(MAX_RENDER_ATTEMPTS - 1):
            before, newest = newest, overlay.newest()
            if rendered is None or newest == before:
                break
            # Another process has published meanwhile (an import beside the aggregator), and what it counted may be
            # newer than what was read here.
            rendered = self._rendered(overlay, now, many)
        if rendered is None:
            return None
        published, pack = rendered
        overlay.put(published.generation, published.as_of, pack)
        return published

    def document(self, path: str, data: ReportData, now: datetime) -> bytes | None:
        """One report by its path, as JSON; ``None`` where there is no such report. Raises ``PackError``."""
        rendered = reports(self._context(self.edition(), now), data)
        if path in rendered.documents:
            return rendered.documents[path]
        return next((body for report, body in rendered.readership if report == path), None)

    def _rendered(self, overlay: Overlay, now: datetime, many: int) -> tuple[RenderedReports, bytes] | None:
        """A generation and its pack, which is not published yet."""
        data = read_report_data(self.rollups, self.dimensions)
        if data is None:
            return None
        edition = self.edition()
        # Workers store the pages that are read; here all are compared with the edition, beside the requests.
        self.dimensions.materials(material_rows(edition))
        context, surroundings = self._context(edition, now), page_context(edition.config, self.rendering)
        generation = max(int(now.timestamp()), (overlay.newest() or 0) + 1)
        with TemporaryDirectory(dir=self.state, prefix="overlay-") as folder:
            file = Path(folder) / "next.pack"
            former = Path(folder) / "former.pack"
            previous = previous_reports(overlay, self.rollups, edition, context, data, former, many)
            rendered = reports(context, data, previous.stale if previous else None)
            stamp = Stamp(
                generation,
                edition.config.base_url,
                surroundings.assets[style(surroundings.site.theme.name)],
                edition.digest,
                data.as_of,
                previous.whole if previous else data.as_of,
            )
            unchanged = previous.reports(context.catalogue) if previous else ()
            count = print_overlay(file, _leaves(edition, surroundings, rendered, now), stamp, unchanged)
            pack = file.read_bytes()
        return RenderedReports(generation, data.as_of, count, len(pack)), pack

    def _context(self, edition: Edition, now: datetime) -> ReportContext:
        """What reports state that is not counted, from the configuration of an edition."""
        rules = settings_of(edition.config.publication, TelemetryRules)
        return ReportContext(
            base_url=edition.config.base_url,
            title=edition.config.publication.title,
            generated_at=now,
            catalogue=tuple(_listed(edition)),
            classifier=self.info.classifier,
            min_count=rules.min_count,
            user_action_min=rules.user_action_min,
            retention_hours=rules.retention_hours,
            keeps_unlisted=rules.keep_unlisted,
            example=rules.example,
            basis=self._basis(rules) if self.info.basis is None else self.info.basis,
            annotations=tuple(HistoryAnnotation.model_validate(row.model_dump()) for row in rules.annotations),
        )

    def _basis(self, rules: TelemetryRules) -> Mapping[str, Sequence[VerificationBasis]]:
        try:
            fetched = read_ranges(self.state / RANGES)
        except RangesError as error:
            log.warning("reports name no address lists: %s", error)
            fetched = {}
        return basis(shipped().rows, fetched, reverse_dns=rules.reverse_dns, signatures=rules.signatures)


def _listed(edition: Edition) -> Iterator[ListedPage]:
    """The pages that have a readership report, as the edition's own version of the report names them."""
    for entry in read_page_entries(edition):
        body = edition.body(report_path(entry.canonical))
        if body is not None:
            report = fast_json.loads(body)
            published = report["published_at"] and datetime.fromisoformat(report["published_at"])
            yield ListedPage(
                report["canonical_path"], report["canonical_url"], report["kind"], published, report["representations"]
            )


def _leaves(edition: Edition, context: RenderContext, rendered: Reports, now: datetime) -> Iterator[Leaf]:
    """Every report as the leaf that the edition has for it, with the counted figures as its body."""
    modified = int(now.timestamp())
    for path, body in (*_pages(context, rendered.page, rendered.documents), *rendered.documents.items()):
        yield from _leaf(edition, path, body, modified)
    for path, body in rendered.readership:
        yield from _leaf(edition, path, body, modified)


def _pages(context: RenderContext, page: Page, documents: Mapping[str, bytes]) -> Iterable[tuple[str, bytes]]:
    """The page in every form that is not among the documents already."""
    paths = ((form, form.path(page.path)) for form in context.forms)
    return [(path, form.write(page, context)) for form, path in paths if path not in documents]


def _leaf(edition: Edition, path: str, body: bytes, modified: int) -> Iterator[Leaf]:
    meta = edition.meta(path)
    if meta and meta["live"]:
        yield replace(leaf_of(meta, body), modified=modified)
