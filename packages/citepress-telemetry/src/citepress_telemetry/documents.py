"""What machines read here, as the edition itself can tell it: nothing was observed yet.

A running service puts its counts in the place of each.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

from pydantic import BaseModel

from citepress.base.canonical import json_bytes, plain
from citepress.base.ids import canonical_path
from citepress.base.media import JSON, SCHEMA
from citepress.base.timestamps import rfc3339
from citepress.contract.cache import Cache
from citepress.contract.document import CANONICAL_PATH, Document, Hosting, Output, Pages, Section
from citepress.contract.page import Block, Fact, Facts, Link, Notice, Page
from citepress.contract.settings_table import settings_of
from citepress.edition.machine.guides import path_of_page
from citepress.edition.machine.readable import Readable, readable, readable_origin, readable_pages, readable_record
from citepress.edition.render_context import RenderContext, single
from citepress.edition.schemas import schema_of
from citepress_telemetry.contract import consumption, journeys, readership, traffic, unobserved
from citepress_telemetry.contract.page import CHARTS, MACHINE_CONSUMPTION_PATH, REPORT_TITLE, about, expected, method
from citepress_telemetry.settings import TelemetryRules

Declared: TypeAlias = Document[RenderContext]
SCHEMAS: Mapping[type[BaseModel], str] = {
    consumption.MachineConsumptionReport: consumption.CONSUMPTION_SCHEMA_PATH,
    journeys.CrawlerJourneysReport: journeys.JOURNEYS_SCHEMA_PATH,
    readership.PageReadershipReport: readership.READERSHIP_SCHEMA_PATH,
}
"""Where the JSON Schema of a report is; that of the others is in the list of all schemas."""


def _base(context: RenderContext) -> str:
    return context.url("")


def _report(name: str, path: str, about: str, model: type[BaseModel], make: Callable[[str], BaseModel]) -> Declared:
    """A report of the site: the same until something was observed, then replaced as a whole."""
    return Document[RenderContext](
        name,
        path,
        JSON,
        Section.TELEMETRY,
        about,
        lambda context: [Output(make(_base(context)))],
        model.__name__,
        model,
        cache=Cache.LIVE,
        live=True,
        described_by=SCHEMAS.get(model, ""),
        resource=0.3,
    )


def _schema(name: str, model: type[BaseModel], what: str) -> Declared:
    """The JSON Schema of a report that has an address of its own for it."""
    path = SCHEMAS[model]
    return Document[RenderContext](
        f"{name}_schema",
        path,
        SCHEMA,
        Section.TELEMETRY,
        f"The JSON Schema of {what} report.",
        lambda context: [Output(json_bytes(schema_of(model, context.url(path))))],
        "JsonSchemaDocument",
        only=Hosting.SERVICE,
    )


def _consumption_page(context: RenderContext) -> Page:
    """The page for people: a sentence in place of each chart, and the complete method."""
    settings = settings_of(context.site, TelemetryRules)
    return Page(
        MACHINE_CONSUMPTION_PATH,
        REPORT_TITLE,
        about(context.site.title),
        (
            *_status(),
            expected(CHARTS),
            *method(settings.retention_hours, settings.min_count, keeps_unlisted=settings.keep_unlisted),
        ),
        label="Telemetry",
        crumbs=(Link("Home", "/"),),
        data=unobserved.consumption(_base(context)),
    )


def _status() -> tuple[Block, ...]:
    facts = (
        Fact("Status", (Link("not observed"),)),
        Fact("As of", (Link("no full hour yet"),)),
        Fact(
            "Reports",
            tuple(
                Link(path, path)
                for path in (
                    consumption.CONSUMPTION_PATH,
                    journeys.JOURNEYS_PATH,
                    traffic.LATEST_PATH,
                    traffic.HISTORY_PATH,
                )
            ),
        ),
    )
    return Notice(
        "not-observed", "", f"{unobserved.REASON} Unobserved is not zero: every count is null until then."
    ), Facts("status", "Status", facts)


def _readership(context: RenderContext) -> Iterator[Output]:
    """One report a page."""
    return (_report_of(context, page) for page in readable(context))


def _touched_readership(context: RenderContext) -> Iterator[tuple[Mapping[str, str], Output | None]]:
    """The reports of the pages that an edit may have changed."""
    archive, edit = context.archive, context.edit
    if edit is None:
        return
    pages: dict[str, Readable | None] = {page.canonical: page for page in readable_pages(context)}
    for id_ in edit.records:
        entry = archive.entries.get(id_)
        pages[id_] = readable_record(context, entry) if entry else None
    for id_ in edit.cited:
        page = readable_origin(context, id_) if id_ in archive.origins else None
        pages[canonical_path(f"/sources/{id_}/")] = page
    for dataset in edit.before.datasets:
        pages.setdefault(canonical_path(dataset.path), None)
    for own in edit.before.pages.values():
        pages.setdefault(canonical_path(path_of_page(own.slug)), None)
    for canonical, page in pages.items():
        yield {"canonical_path": canonical}, _report_of(context, page) if page else None


def _report_of(context: RenderContext, page: Readable) -> Output:
    """All say the same of different pages, so the common part is made once, and each body when it is written."""
    common = context.derivations.of("readership", partial(_common, context))
    body = partial(_reading, context, common, page.kind, page.path, page.published, page.forms)
    inputs = [page.kind, page.forms, page.published]
    return Output(body, {"canonical_path": page.canonical}, inputs=inputs)


def _common(context: RenderContext) -> Mapping[str, Any]:
    common: Mapping[str, Any] = plain(
        unobserved.readership(_base(context), "home", "pages", None, context.url("/"), {})
    )
    return common


def _reading(
    context: RenderContext,
    common: Mapping[str, Any],
    kind: str,
    path: str,
    published: datetime | None,
    forms: tuple[str, ...],
) -> bytes:
    addresses = {form.name: context.url(form.path(path)) for form in context.forms if form.name in forms}
    return json_bytes(
        {
            **common,
            "canonical_path": canonical_path(path),
            "canonical_url": context.url(path),
            "kind": kind,
            "representations": {**common["representations"], **addresses},
            "published_at": rfc3339(published) if published else None,
        }
    )


ALL = (
    Pages[RenderContext](
        "machine_consumption",
        "/machine-consumption/",
        Section.TELEMETRY,
        "What machines fetched in thirty days: by class, purpose, operator, form and page.",
        single(_consumption_page),
        "MachineConsumptionReport",
        consumption.MachineConsumptionReport,
        cache=Cache.LIVE,
        live=True,
        described_by=consumption.CONSUMPTION_SCHEMA_PATH,
        promised=("html", "json"),
        resource=0.3,
    ),
    _schema("machine_consumption", consumption.MachineConsumptionReport, "the machine-consumption"),
    _report(
        "crawler_journeys",
        journeys.JOURNEYS_PATH,
        "How named families move through the archive: 24 hours, 7 days, 30 days.",
        journeys.CrawlerJourneysReport,
        unobserved.journeys,
    ),
    _schema("crawler_journeys", journeys.CrawlerJourneysReport, "the crawler-journeys"),
    _schema("page_readership", readership.PageReadershipReport, "a page-readership"),
    Document[RenderContext](
        "page_readership",
        readership.READERSHIP_PATH,
        JSON,
        Section.TELEMETRY,
        "Successful requests of named automation for one page, in all its forms.",
        _readership,
        "PageReadershipReport",
        readership.PageReadershipReport,
        (CANONICAL_PATH,),
        Cache.LIVE,
        live=True,
        described_by=readership.READERSHIP_SCHEMA_PATH,
        touched=_touched_readership,
    ),
    _report(
        "bot_traffic_latest",
        traffic.LATEST_PATH,
        "Requests of the last 24 hours in five classes.",
        traffic.BotTrafficSnapshot,
        unobserved.snapshot,
    ),
    _report(
        "bot_traffic_history",
        traffic.HISTORY_PATH,
        "Requests in five classes, one point a day.",
        traffic.BotTrafficHistory,
        unobserved.history,
    ),
)
