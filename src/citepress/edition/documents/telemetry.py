"""What machines read here, as the edition itself can tell it: nothing was observed yet; a running service puts its counts in the place of each."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from pydantic import BaseModel

from citepress.base.canonical import json_bytes, plain
from citepress.base.ids import canonical_path
from citepress.base.media import JSON, SCHEMA
from citepress.base.moments import rfc3339
from citepress.contract.cache import Cache
from citepress.contract.document import CANONICAL_PATH, Document, Draft, Output, Pages, Section
from citepress.contract.page import Block, Fact, Facts, Item, Items, Link, Notice, Page, Prose, Table
from citepress.contract.reports import consumption, empty, journeys, readership, traffic
from citepress.contract.reports.words import CAVEATS, CLASSES, PRIVACY, VERIFICATION
from citepress.edition.desk import Desk
from citepress.edition.documents.sitemap import listed
from citepress.edition.schemas import schema_of

CHARTS: tuple[tuple[str, str, str, str], ...] = (
    (
        "daily",
        "Requests by class, day by day",
        "Ninety days of the five classes, with a mark wherever the classifier changed.",
        traffic.HISTORY_PATH,
    ),
    ("purposes", "What they fetch for", "Requests of named clients by the purpose that their operators state.", consumption.PATH),
    (
        "operators",
        "Operators",
        "What each operator fetched, how much of it was verified, and the page views that came back.",
        consumption.PATH,
    ),
    ("representations", "Forms", "Which of HTML, Markdown and JSON each family asks for.", consumption.PATH),
    ("journeys", "Ways through the archive", "Where sessions begin, the steps between routes, and where sessions end.", journeys.PATH),
    ("depth", "Depth of sessions", "How many requests a session makes.", journeys.PATH),
    (
        "coverage",
        "Coverage of the archive",
        "How much of the archive each family fetched, and the pages that nobody fetched.",
        consumption.PATH,
    ),
    ("first-read", "Time to the first fetch", "How long a new page waits for its first named client.", consumption.PATH),
    ("statuses", "Answers to bots", "The HTTP statuses that named clients were answered with.", consumption.PATH),
    ("gateway", "Beyond reading", "Use of the MCP endpoint, the free actions, the inbox and the paid products.", consumption.PATH),
)
"""Anchor, title, what it shows and where its numbers stand, in the order of the page."""
METHOD = (
    "The service counts its own requests, once, at the origin. Each request is sorted into one of five classes by the first rule that fits, so that the classes "
    "add up to the total. A family is known by its User-Agent, and its purpose is the one that its operator states on its own pages; without such a page the purpose is unknown. "
    "Hours are closed shortly after their end and are not computed again: a better classifier counts from its day on, and the version that counted stands in every document. "
    "Whoever runs a client that is named or classed wrongly here can ask for a change at the contact on the [owner's page](/owner-profile/)."
)


def _base(desk: Desk) -> str:
    return desk.url("")


def _report(make: Callable[[str], BaseModel]) -> Callable[[Desk], Iterable[Output]]:
    return lambda desk: [Output(make(_base(desk)))]


def _schema(model: type[BaseModel], path: str) -> Callable[[Desk], Iterable[Output]]:
    return lambda desk: [Output(json_bytes(schema_of(model, desk.url(path))))]


def _consumption(desk: Desk) -> Iterable[Draft]:
    return [Draft(partial(_consumption_page, desk))]


def _consumption_page(desk: Desk) -> Page:
    """The page for people: a sentence where each chart will stand, and the whole method."""
    return Page(
        "/machine-consumption/", "Machine consumption", f"What crawlers and agents fetch from {desk.site.title}, by their own declaration.",
        (*_status(), *(Prose(anchor, title, f"{about} Not observed yet; the numbers will stand in [{path}]({path}).") for anchor, title, about, path in CHARTS), *method()),
        label="Telemetry", language=desk.site.language, crumbs=(Link("Home", "/"),), data=empty.consumption(_base(desk)),
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


def method() -> tuple[Block, ...]:
    """How it is counted, from the words that every document carries."""
    return (
        Prose("method", "Method", METHOD),
        Table(
            "classes",
            "The five classes",
            ("Class", "What falls into it"),
            tuple((Link(name), Link(about)) for name, about in CLASSES.items()),
        ),
        Table(
            "verification",
            "How identity is checked",
            ("State", "What it means"),
            tuple((Link(n), Link(about)) for n, about in VERIFICATION.items()),
        ),
        Prose("privacy", "Privacy", PRIVACY),
        Items("caveats", "How to read the numbers", tuple(Item(text) for text in CAVEATS.values())),
    )


def _readership(desk: Desk) -> Iterator[Output]:
    """One report a page. All say the same of different pages, so the common part is made once and each body only when it is written."""
    common = plain(empty.readership(_base(desk), "home", "pages", None, desk.url("/"), {}))
    published = {dataset.path: dataset.published for dataset in desk.archive.datasets}
    seen: set[str] = set()
    for kind, rows in listed(desk).items():
        forms: tuple[str, ...] = ()
        for path, _, changed in rows:
            if path in seen:
                continue
            seen.add(path)
            if kind == "pages" or not forms:
                forms = _forms(desk, path)
            name = canonical_path(path)
            entry = desk.archive.entry(name)
            moment = entry.record.published_at if entry else published.get(path)
            sort = "datasets" if path in published else kind
            body = partial(_reading, desk, common, sort, path, moment, forms)
            yield Output(body, {"canonical_path": name}, moment or changed, inputs=[sort, forms, moment])


def _forms(desk: Desk, path: str) -> tuple[str, ...]:
    """Names of the forms that a page has; every page of a collection has the same."""
    route = desk.table.match(path)
    return tuple(name for name, _, _ in route.forms) if route else ()


def _reading(desk: Desk, common: Mapping[str, Any], kind: str, path: str, published: datetime | None, forms: tuple[str, ...]) -> bytes:
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
    Pages[Desk](
        "machine_consumption", "/machine-consumption/", Section.TELEMETRY, "What machines fetched in thirty days: by class, purpose, operator, form and page.",
        _consumption, "MachineConsumptionReport", consumption.MachineConsumptionReport, cache=Cache.LIVE, live=True,
        described_by=consumption.SCHEMA_PATH, promised=("html", "json"), resource=0.3,
    ),
    Document[Desk](
        "machine_consumption_schema", consumption.SCHEMA_PATH, SCHEMA, Section.TELEMETRY, "The JSON Schema of the machine-consumption report.",
        _schema(consumption.MachineConsumptionReport, consumption.SCHEMA_PATH), "JsonSchemaDocument",
    ),
    Document[Desk](
        "crawler_journeys", journeys.PATH, JSON, Section.TELEMETRY, "How named families move through the archive: 24 hours, 7 days, 30 days.",
        _report(empty.journeys), "CrawlerJourneysReport", journeys.CrawlerJourneysReport, cache=Cache.LIVE, live=True,
        described_by=journeys.SCHEMA_PATH, resource=0.3,
    ),
    Document[Desk](
        "crawler_journeys_schema", journeys.SCHEMA_PATH, SCHEMA, Section.TELEMETRY, "The JSON Schema of the crawler-journeys report.",
        _schema(journeys.CrawlerJourneysReport, journeys.SCHEMA_PATH), "JsonSchemaDocument",
    ),
    Document[Desk](
        "page_readership_schema", readership.SCHEMA_PATH, SCHEMA, Section.TELEMETRY, "The JSON Schema of a page-readership report.",
        _schema(readership.PageReadershipReport, readership.SCHEMA_PATH), "JsonSchemaDocument",
    ),
    Document[Desk](
        "page_readership", readership.PATH, JSON, Section.TELEMETRY, "Successful requests of named automation for one page, in all its forms.",
        _readership, "PageReadershipReport", readership.PageReadershipReport, (CANONICAL_PATH,), Cache.LIVE, live=True,
        described_by=readership.SCHEMA_PATH,
    ),
    Document[Desk](
        "bot_traffic_latest", traffic.LATEST_PATH, JSON, Section.TELEMETRY, "Requests of the last 24 hours in five classes.",
        _report(empty.snapshot), "BotTrafficSnapshot", traffic.BotTrafficSnapshot, cache=Cache.LIVE, live=True, resource=0.3,
    ),
    Document[Desk](
        "bot_traffic_history", traffic.HISTORY_PATH, JSON, Section.TELEMETRY, "Requests in five classes, one point a day.",
        _report(empty.history), "BotTrafficHistory", traffic.BotTrafficHistory, cache=Cache.LIVE, live=True, resource=0.3,
    ),
)  # fmt: skip
