"""The front page: what this is, how much it holds, what is new and what is open; for agents a box beside it."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from operator import attrgetter

from citepress.archive.model import Change, Entry
from citepress.base.text import bounded
from citepress.base.timestamps import day
from citepress.contract.document import Pages, Section
from citepress.contract.front_page import PARTS as PARTS_OF_ALL
from citepress.contract.observation import Observation
from citepress.contract.page import (
    INTERFACE,
    Block,
    Card,
    Cards,
    Facts,
    Item,
    Items,
    Link,
    Nugget,
    Page,
    Prose,
    SearchField,
)
from citepress.edition.feeds.site import site_feeds
from citepress.edition.pages.collections import card, rest
from citepress.edition.pages.owner import elsewhere
from citepress.edition.pages.sources import health_link
from citepress.edition.render_context import DATABASE, RenderContext, single
from citepress.extension import FrontPart, function_of
from citepress.hooks import guard_of
from citepress.kinds.dataset_charts import charts_of
from citepress.kinds.parts import fact, facts, percent
from citepress.kinds.posts import KIND as POSTS
from citepress.kinds.record_page import nugget_of
from citepress.kinds.topics import KIND as HUBS

NOTES, MAX_HOME_CHANGES, TOPICS = 6, 8, 12
"""Records that each part shows."""
MAX_CHANGE_NOTE_CHARS = 160
"""Characters of a change's note."""
WEEK = timedelta(days=7)
SEARCH = "/search/"
ALIVE = frozenset({"unchanged", "changed"})
"""Of a source that was checked and is still there."""


def _home(context: RenderContext) -> Page:
    site, archive = context.site, context.archive
    own = archive.pages.get("index")
    text: tuple[Block, ...] = (Prose("introduction", "", own.body),) if own and own.body.strip() else ()
    website = {
        "@context": "https://schema.org",
        "@type": "WebSite",
        "@id": context.url("/#site"),
        "name": site.title,
        "url": context.url("/"),
        "description": site.description or site.title,
        "inLanguage": site.language,
        "publisher": {"@type": archive.owner.type, "@id": context.url("/#owner"), "name": archive.owner.name},
    }
    return Page(
        "/",
        site.title,
        site.home.purpose or (own.summary if own else "") or site.description or site.title,
        (*text, *(block for part in site.home.parts for block in PARTS[part](context))),
        template="home",
        updated=archive.as_of,
        language=site.language,
        license=site.license,
        card=True,
        me=tuple(elsewhere(context)),
        linked_data=(website,),
        feeds=site_feeds(archive.kinds),
    )


def _search(context: RenderContext) -> Iterator[Block]:
    if context.publishes(SEARCH):
        yield SearchField("search", "", SEARCH)


def _figures(context: RenderContext) -> Iterator[Block]:
    archive = context.archive
    origins = [origin for origin in archive.origins.values() if origin.sources]
    cited = sum(len(origin.sources) for origin in origins)
    health = Counter(
        observation.status in ALIVE for observation in archive.observations.values() if _asked(observation)
    )
    rows = facts(
        fact(_number(len(archive.entries), "Record"), f"{len(archive.entries):,}"),
        fact(f"{_number(cited, 'Source')} cited", Link(f"{cited:,}", "/sources/") if cited else None),
        fact(_number(len(origins), "Origin"), f"{len(origins):,}" if origins else None),
        fact("Sources alive", health_link(context, _share(health)) if health else None),
    )
    yield Facts("figures", "", rows, text_language=INTERFACE)


def _share(alive: Counter[bool]) -> str:
    """The share of the living among the sources that said whether they are: not those that did not answer."""
    return f"{percent(round(alive[True] / alive.total(), 2))} of those that answered"


def _number(count: int, noun: str) -> str:
    return noun if count == 1 else f"{noun}s"


def _asked(observation: Observation) -> bool:
    """Whether the source said whether it is still there."""
    return observation.status in ALIVE or observation.status == "gone"


def _leading(context: RenderContext) -> Entry | None:
    """The record that the publisher chose, else the newest field note, else the newest record."""
    collections = context.archive.collections
    if (chosen := context.site.home.lead) and (entry := context.archive.entry(chosen)):
        return entry
    newest = [collections[kind.name][0] for kind in context.archive.kinds if collections[kind.name]]
    return next(
        (entry for entry in newest if entry.kind.name == POSTS.name), min(newest, key=attrgetter("order"), default=None)
    )


def _lead(context: RenderContext) -> Iterator[Block]:
    if entry := _leading(context):
        record, nugget = entry.record, nugget_of(entry)
        summary = "" if nugget == record.summary else record.summary
        shown = Card(
            record.title,
            entry.path,
            summary,
            entry.kind.singular,
            record.published_at,
            language=record.language,
            label_language=entry.kind.label_language,
        )
        yield Cards("lead", "Featured" if record.id == context.site.home.lead else "Latest", (shown,))
        yield Nugget("lead-nugget", "", nugget, text_language=record.language)


def _noted(context: RenderContext) -> tuple[Entry, ...]:
    """The newest field notes, without the one that leads."""
    leading = _leading(context) if "lead" in context.site.home.parts else None
    return tuple(islice((entry for entry in context.archive.collections[POSTS.name] if entry != leading), NOTES))


def _notes(context: RenderContext) -> Iterator[Block]:
    if shown := _noted(context):
        kind = shown[0].kind
        more = Link(f"All {len(context.archive.collections[kind.name]):,} {kind.noun()}", f"/{kind.name}/")
        yield Cards(f"newest-{kind.name}", kind.plural, tuple(card(entry, listed=True) for entry in shown), more)


def _chart(context: RenderContext) -> Iterator[Block]:
    """The first chart of the dataset that changed last."""
    charted = [dataset for dataset in context.archive.datasets if dataset.charts]
    if charted:
        yield next(charts_of(max(charted, key=lambda dataset: dataset.updated)))


def _changes(context: RenderContext) -> Iterator[Block]:
    """The last week's changes, each record once; that a note is new is seen where it stands."""
    archive = context.archive
    shown = frozenset(entry.head.id for entry in (*_noted(context), _leading(context)) if entry)
    inputs = archive.changes, archive.as_of - WEEK, shown
    week: list[Change] = context.derivations.held("changes of the week", inputs, partial(_of_week, *inputs))
    items = [_changed(context, change) for change in week[:MAX_HOME_CHANGES]]
    if more := len(week) - len(items):
        items.append(Item("", href="/changes.xml", title=f"{more:,} more in the feed", title_language=INTERFACE))
    if items:
        yield Items("changes", f"Changed in the week to {day(archive.as_of)}", tuple(items))


def _of_week(changes: Iterable[Change], since: datetime, shown: Collection[str]) -> list[Change]:
    week: dict[str, Change] = {}
    for change in changes:
        if change.moment <= since:
            break
        is_listed = change.record in week or (change.change == "published" and change.record in shown)
        if change.record and not is_listed:
            week[change.record] = change
    return list(week.values())


def _changed(context: RenderContext, change: Change) -> Item:
    entry = context.archive.entry(change.record)
    language = entry.head.language if entry else ""
    text, spoken = (
        (bounded(change.note, MAX_CHANGE_NOTE_CHARS), language)
        if change.note
        else (change.change.capitalize(), INTERFACE)
    )
    return Item(text, change.moment, change.path, change.title, language=spoken, title_language=language)


def _topics(context: RenderContext) -> Iterator[Block]:
    hubs = context.archive.collections.get(HUBS.name, ())
    sizes = {entry.head.id: len(context.archive.topics.get(entry.head.slug, ())) for entry in hubs}
    largest = sorted(hubs, key=lambda entry: (-sizes[entry.head.id], entry.head.id))
    items = [
        Item(
            f"{sizes[entry.head.id]:,} {_number(sizes[entry.head.id], 'record')}",
            None,
            entry.path,
            entry.head.title,
            language=INTERFACE,
            title_language=entry.head.language,
        )
        for entry in largest[:TOPICS]
    ]
    if items:
        yield Items("topics", "Topics", (*items, *rest(len(hubs), len(items), HUBS.path)))


def _collections(context: RenderContext) -> Iterator[Block]:
    """A line for each collection, where there are several."""
    archive = context.archive
    lines = [
        Item(kind.about, None, f"/{kind.name}/", f"{kind.plural} ({len(entries):,})")
        for kind in archive.kinds
        if (entries := archive.collections[kind.name])
    ]
    if archive.datasets:
        title = f"Datasets ({len(archive.datasets):,})"
        lines.append(Item("Tables with a schema for each version.", None, "/datasets/", title))
    if len(lines) > 1:
        yield Items("collections", "Everything here", tuple(lines), text_language=INTERFACE)


DATABASE_ITEM = Item(
    "Every record, source and citation as one SQLite file with a full-text index, for Datasette or sqlite3.",
    href=DATABASE,
    title=DATABASE,
)
"""In a static export, beside which the database lies."""


def _agents(context: RenderContext) -> Iterator[Block]:
    rules = "How to read, cite and stay within the limits." if context.served else "How to read and cite."
    connect = (Item(api.guide_about, href=api.guide.href, title=api.guide.href) for api in context.apis)
    yield Items(
        "for-agents",
        "For agents",
        (
            Item("The compact guide to every route.", href="/llms.txt", title="/llms.txt"),
            Item(rules, href="/agents/", title="/agents/"),
            Item("The programmatic contract.", href="/openapi.json", title="/openapi.json"),
            *connect,
            *(() if context.served else (DATABASE_ITEM,)),
        ),
        text_language=INTERFACE,
    )


def _guarded_blocks(
    part: FrontPart, make: Callable[[RenderContext], Iterable[Block]], context: RenderContext
) -> list[Block]:
    """The blocks of a part that an extension makes, whose errors name it."""
    with guard_of(part):
        return list(make(context))


PARTS: Mapping[str, Callable[[RenderContext], Iterable[Block]]] = {
    "search": _search,
    "figures": _figures,
    "lead": _lead,
    "notes": _notes,
    "chart": _chart,
    "changes": _changes,
    "collections": _collections,
    "topics": _topics,
    "agents": _agents,
    **{part.name: partial(_guarded_blocks, part, function_of(part, part.makes)) for part in PARTS_OF_ALL if part.makes},
}
"""How each part of the page is made."""


ALL = (
    Pages[RenderContext]("home", "/", Section.RECORDS, "The front page.", single(_home), promised=("html", "markdown")),
)
