"""The front page: what this is, the newest of each kind, and one box for agents."""

from collections.abc import Iterable, Iterator
from functools import partial

from citepress.contract.document import Draft, Pages, Section
from citepress.contract.page import INTERFACE, Block, Card, Cards, Item, Items, Link, Page, Prose
from citepress.edition.documents.collections import card
from citepress.edition.render_context import DATABASE, RenderContext

NEWEST, NEWEST_NOTES = 3, 6
"""Records of each collection on the front page; field notes lead."""


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
        (own.summary if own else "") or site.description or site.title,
        (*text, *_newest(context), *_datasets(context), _for_agents(context)),
        template="home",
        updated=archive.as_of,
        language=site.language,
        license=site.license,
        linked_data=(website,),
        feeds=(
            Link("New field notes (RSS)", "/rss.xml"),
            Link("New field notes (JSON Feed)", "/feed.json"),
            Link("Changes (Atom)", "/changes.xml"),
        ),
    )


def _newest(context: RenderContext) -> Iterator[Block]:
    for kind in context.archive.kinds:
        entries = context.archive.collections[kind.name]
        if entries:
            shown = entries[: NEWEST_NOTES if kind.name == "posts" else NEWEST]
            more = Link(f"All {len(entries)} {kind.plural.lower()}", f"/{kind.name}/")
            yield Cards(f"newest-{kind.name}", kind.plural, tuple(map(card, shown)), more)


def _datasets(context: RenderContext) -> Iterator[Block]:
    cards = tuple(
        Card(d.title, d.path, d.summary, "Dataset", d.updated, language=context.site.language)
        for d in context.archive.datasets[:NEWEST]
    )
    if cards:
        yield Cards("datasets", "Datasets", cards, Link("All datasets", "/datasets/"))


DATABASE_ITEM = Item(
    "Every record, source and citation as one SQLite file with a full-text index, for Datasette or sqlite3.",
    href=DATABASE,
    title=DATABASE,
)
"""In a static export, beside which the database lies."""


def _for_agents(context: RenderContext) -> Block:
    rules = "How to read, cite and stay within the limits." if context.served else "How to read and cite."
    connect = (Item("How to connect an MCP client.", href="/connect/", title="/connect/"),)
    return Items(
        "for-agents",
        "For agents",
        (
            Item("The compact guide to every route.", href="/llms.txt", title="/llms.txt"),
            Item(rules, href="/agents/", title="/agents/"),
            Item("The programmatic contract.", href="/openapi.json", title="/openapi.json"),
            *(connect if context.offer.tools else ()),
            *(() if context.served else (DATABASE_ITEM,)),
        ),
        text_language=INTERFACE,
    )


def _pages(context: RenderContext) -> Iterable[Draft]:
    return [Draft(partial(_home, context))]


ALL = (Pages[RenderContext]("home", "/", Section.RECORDS, "The front page.", _pages, promised=("html", "markdown")),)
