"""What machines read here, as the edition itself can tell it: nothing was observed yet; a running service puts its counts in the place of each."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from pydantic import BaseModel

from citepress.base.canonical import json_bytes, plain
from citepress.base.ids import canonical_path
from citepress.base.media import JSON, SCHEMA
from citepress.base.timestamps import rfc3339
from citepress.contract.cache import Cache
from citepress.contract.document import CANONICAL_PATH, Document, Draft, Output, Pages, Section
from citepress.contract.page import Block, Fact, Facts, Link, Notice, Page, Prose
from citepress.contract.reports import consumption, empty, journeys, readership, traffic
from citepress.contract.reports.page import CHARTS, PATH, TITLE, about, method
from citepress.edition.documents.readable import readable
from citepress.edition.render_context import RenderContext
from citepress.edition.schemas import schema_of


def _base(desk: RenderContext) -> str:
    return desk.url("")


def _report(make: Callable[[str], BaseModel]) -> Callable[[RenderContext], Iterable[Output]]:
    return lambda desk: [Output(make(_base(desk)))]


def _schema(model: type[BaseModel], path: str) -> Callable[[RenderContext], Iterable[Output]]:
    return lambda desk: [Output(json_bytes(schema_of(model, desk.url(path))))]


def _consumption(desk: RenderContext) -> Iterable[Draft]:
    return [Draft(partial(_consumption_page, desk))]


def _consumption_page(desk: RenderContext) -> Page:
    """The page for people: a sentence where each chart will stand, and the whole method."""
    told = desk.site.telemetry
    return Page(
        PATH, TITLE, about(desk.site.title),
        (*_status(), *(Prose(one.anchor, one.title, one.unseen("Not observed yet")) for one in CHARTS), *method(told.retention_hours, told.min_count, keeps_unlisted=told.keep_unlisted)),
        label="Telemetry", crumbs=(Link("Home", "/"),), data=empty.consumption(_base(desk)),
    )  # fmt: skip


def _status() -> tuple[Block, ...]:
    facts = (
        Fact("Status", (Link("not observed"),)),
        Fact("As of", (Link("no full hour yet"),)),
        Fact("Reports", tuple(Link(path, path) for path in (consumption.PATH, journeys.PATH, traffic.LATEST_PATH, traffic.HISTORY_PATH))),
    )
    return Notice("not-observed", "", f"{empty.REASON} Unobserved is not zero: every count is null until then."), Facts(
        "status", "Status", facts
    )


def _readership(desk: RenderContext) -> Iterator[Output]:
    """One report a page. All say the same of different pages, so the common part is made once and each body only when it is written."""
    common = plain(empty.readership(_base(desk), "home", "pages", None, desk.url("/"), {}))
    for one in readable(desk):
        body = partial(_reading, desk, common, one.kind, one.path, one.published, one.forms)
        moment = one.published or one.changed
        yield Output(body, {"canonical_path": one.canonical}, moment, inputs=[one.kind, one.forms, one.published])


def _reading(
    desk: RenderContext, common: Mapping[str, Any], kind: str, path: str, published: datetime | None, forms: tuple[str, ...]
) -> bytes:
    addresses = {form.name: desk.url(form.path(path)) for form in desk.forms if form.name in forms}
    return json_bytes(
        {
            **common,
            "canonical_path": canonical_path(path),
            "canonical_url": desk.url(path),
            "kind": kind,
            "representations": {**common["representations"], **addresses},
            "published_at": rfc3339(published) if published else None,
        }
    )


ALL = (
    Pages[RenderContext](
        "machine_consumption", "/machine-consumption/", Section.TELEMETRY, "What machines fetched in thirty days: by class, purpose, operator, form and page.",
        _consumption, "MachineConsumptionReport", consumption.MachineConsumptionReport, cache=Cache.LIVE, live=True,
        described_by=consumption.SCHEMA_PATH, promised=("html", "json"), resource=0.3,
    ),
    Document[RenderContext](
        "machine_consumption_schema", consumption.SCHEMA_PATH, SCHEMA, Section.TELEMETRY, "The JSON Schema of the machine-consumption report.",
        _schema(consumption.MachineConsumptionReport, consumption.SCHEMA_PATH), "JsonSchemaDocument",
    ),
    Document[RenderContext](
        "crawler_journeys", journeys.PATH, JSON, Section.TELEMETRY, "How named families move through the archive: 24 hours, 7 days, 30 days.",
        _report(empty.journeys), "CrawlerJourneysReport", journeys.CrawlerJourneysReport, cache=Cache.LIVE, live=True,
        described_by=journeys.SCHEMA_PATH, resource=0.3,
    ),
    Document[RenderContext](
        "crawler_journeys_schema", journeys.SCHEMA_PATH, SCHEMA, Section.TELEMETRY, "The JSON Schema of the crawler-journeys report.",
        _schema(journeys.CrawlerJourneysReport, journeys.SCHEMA_PATH), "JsonSchemaDocument",
    ),
    Document[RenderContext](
        "page_readership_schema", readership.SCHEMA_PATH, SCHEMA, Section.TELEMETRY, "The JSON Schema of a page-readership report.",
        _schema(readership.PageReadershipReport, readership.SCHEMA_PATH), "JsonSchemaDocument",
    ),
    Document[RenderContext](
        "page_readership", readership.PATH, JSON, Section.TELEMETRY, "Successful requests of named automation for one page, in all its forms.",
        _readership, "PageReadershipReport", readership.PageReadershipReport, (CANONICAL_PATH,), Cache.LIVE, live=True,
        described_by=readership.SCHEMA_PATH,
    ),
    Document[RenderContext](
        "bot_traffic_latest", traffic.LATEST_PATH, JSON, Section.TELEMETRY, "Requests of the last 24 hours in five classes.",
        _report(empty.snapshot), "BotTrafficSnapshot", traffic.BotTrafficSnapshot, cache=Cache.LIVE, live=True, resource=0.3,
    ),
    Document[RenderContext](
        "bot_traffic_history", traffic.HISTORY_PATH, JSON, Section.TELEMETRY, "Requests in five classes, one point a day.",
        _report(empty.history), "BotTrafficHistory", traffic.BotTrafficHistory, cache=Cache.LIVE, live=True, resource=0.3,
    ),
)  # fmt: skip
