"""The sitemap index, its shards, a Markdown twin, and robots.txt."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from html import escape
from typing import TypeAlias

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Entry
from citepress.base.canonical import short_digest, sorted_bytes
from citepress.base.media import MARKDOWN, PLAIN_TEXT, XML
from citepress.base.timestamps import UNKNOWN, day, rfc3339
from citepress.contract.document import Document, Output, Parameter, Section
from citepress.contract.route import Route
from citepress.edition.data.source_ledger import origin_changed
from citepress.edition.machine.guides import built_in, path_of_page
from citepress.edition.machine.llms_lines import bare
from citepress.edition.render_context import RenderContext
from citepress.edition.response_headers import LICENSE_PATH

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
XHTML = "http://www.w3.org/1999/xhtml"
SHARD_URLS = 5000
MARKDOWN_LINKS = 2000
FIXED, SOURCES = "pages", "sources"
"""The groups that are no kind's."""
Row: TypeAlias = tuple[str, str, datetime]
"""Path, title and last change of a page."""
SitemapPart: TypeAlias = Sequence[Entry | Row]
"""The pages of a shard."""
SITEMAP_SHARD = Parameter(
    "shard", "A sitemap shard named by /sitemap.xml.", r"[a-z]+(?:-[a-z]+)*-[0-9]{1,4}", "pages-1"
)


def groups(context: RenderContext) -> Iterator[str]:
    """Names of the groups of pages that a crawler should know, in a stable order."""
    archive = context.archive
    yield FIXED
    yield from (kind.name for kind in archive.kinds if archive.collections[kind.name])
    if archive.origins:
        yield SOURCES


def members(context: RenderContext, group: str) -> Sequence[Entry] | Sequence[Row]:
    """The pages of a group in a stable order: of a kind its records, newest first."""
    if group == FIXED:
        return filled(context)
    if group == SOURCES:
        changed = origin_changes(context)
        return [(f"/sources/{o.id}/", o.title, changed[o.id]) for o in context.archive.origins.values()]
    return context.archive.collections[group]


def list_page(member: Entry | Row) -> Row:
    """A page as sitemaps list it."""
    if isinstance(member, Entry):
        return member.path, member.head.title, member.head.updated_at
    return member


def origin_changes(context: RenderContext) -> Mapping[str, datetime]:
    """The last change of the page of each origin."""
    archive = context.archive

    def update(before: dict[str, datetime], edit: ArchiveEdit) -> dict[str, datetime]:
        for id_ in edit.cited:
            before.pop(id_, None)
            if id_ in archive.origins:
                before[id_] = origin_changed(archive, archive.origins[id_])
        return before

    return context.derivations.maintained(
        "origin changes",
        lambda: {origin.id: origin_changed(archive, origin) for origin in archive.origins.values()},
        update,
    )


def fixed(context: RenderContext) -> tuple[Row, ...]:
    """Pages without parameters, datasets and the publisher's own pages."""
    return context.derivations.of("fixed pages", lambda: tuple(_fixed(context)), compared=True)


def filled(context: RenderContext) -> tuple[Row, ...]:
    """Those of them that sitemaps and guides list: without the pages of collections that hold nothing."""
    empty = context.empty
    return tuple(row for row in fixed(context) if row[0] not in empty)


def _fixed(context: RenderContext) -> list[Row]:
    archive = context.archive
    pages = [route for route in context.table if route.negotiates and "{" not in route.path and route.ask is None]
    fixed = [(route.path, route.summary, _changed(context, route) or archive.as_of) for route in pages]
    fixed += [(dataset.path, dataset.title, dataset.updated) for dataset in archive.datasets]
    fixed += [
        (path_of_page(page.slug), page.title, page.updated or archive.as_of)
        for page in archive.pages.values()
        if page.slug not in built_in()
    ]
    return sorted(fixed)


def _changed(context: RenderContext, route: Route) -> datetime | None:
    """The last change of the page of a route; no address that the page names has to be known for it."""

    def derive() -> datetime | None:
        context.dating.append(route.path)
        try:
            return route.changed(context)
        finally:
            context.dating.pop()

    return context.derivations.of(f"last change of {route.path}", derive, compared=True)


def _shards(context: RenderContext) -> Iterator[tuple[str, SitemapPart]]:
    """The pages of each shard; the records of a kind from the oldest on, so that a new one changes the last alone."""
    for group in groups(context):
        pages = members(context, group)
        for number, first in enumerate(range(0, len(pages), SHARD_URLS), 1):
            last = len(pages) - first
            oldest = pages[max(0, last - SHARD_URLS) : last]
            part = pages[first : first + SHARD_URLS] if group in (FIXED, SOURCES) else oldest
            yield f"{group}-{number}", part


def _facts(context: RenderContext, name: str, pages: SitemapPart) -> tuple[datetime, str]:
    """The last change of a shard, and a digest of what it shows."""

    def derive() -> tuple[datetime, str]:
        rows = [(path, moment) for path, _, moment in map(list_page, pages)]
        shown = [rows, [page.head.translations for page in _translated(pages)]]
        return max([moment for _, moment in rows]), short_digest(sorted_bytes(shown))

    return context.derivations.held(f"sitemap {name}", pages, derive)


def _element(name: str, rows: Iterable[str], further: str = "") -> bytes:
    """A document of rows that are XML already; ``further`` are namespaces that they use."""
    opened = f"<?xml version='1.0' encoding='utf-8'?>\n<{name} xmlns=\"{NAMESPACE}\"{further}>\n"
    return "".join((opened, *rows, f"</{name}>\n")).encode()


def _row(name: str, url: str, changed: str, more: str = "") -> str:
    dated = f"    <lastmod>{changed}</lastmod>\n" if changed else ""
    return f"  <{name}>\n    <loc>{escape(url, quote=False)}</loc>\n{dated}{more}  </{name}>\n"


def _index(context: RenderContext) -> Iterable[Output]:
    changes = {name: _facts(context, name, pages)[0] for name, pages in _shards(context)}
    rows = [_row("sitemap", context.url(f"/sitemaps/{name}.xml"), rfc3339(at)) for name, at in changes.items()]
    return [Output(_element("sitemapindex", rows))]


def _urlsets(context: RenderContext) -> Iterator[Output]:
    for name, pages in _shards(context):
        yield Output(partial(_urlset, context, pages), {"shard": name}, inputs=_facts(context, name, pages)[1])


def _translated(pages: SitemapPart) -> list[Entry]:
    """The records of a shard that have translations."""
    return [page for page in pages if isinstance(page, Entry) and page.head.translations]


def _urlset(context: RenderContext, pages: SitemapPart) -> bytes:
    """A page that is rendered again while it is served has no last change that this document could know."""
    live = {route.path for route in context.table if route.live}
    others = {page.path: page.head.translations for page in _translated(pages)}
    rows = [
        _row("url", context.url(path), "" if path in live or at == UNKNOWN else rfc3339(at), _links(others.get(path)))
        for path, _, at in map(list_page, pages)
    ]
    return _element("urlset", rows, f' xmlns:xhtml="{XHTML}"' if others else "")


def _links(translations: Iterable[tuple[str, str]] | None) -> str:
    links = ((escape(language), escape(url)) for language, url in translations or ())
    return "".join(f'    <xhtml:link rel="alternate" hreflang="{code}" href="{url}"/>\n' for code, url in links)


def _markdown(context: RenderContext) -> Iterable[Output]:
    lines = [
        f"# Sitemap of {context.site.title}",
        "",
        f"Every page, newest first in each group; the whole list is at <{context.url('/sitemap.xml')}>.",
    ]
    left = MARKDOWN_LINKS
    titles = {kind.name: kind.plural for kind in context.archive.kinds} | {FIXED: "Pages", SOURCES: "Sources"}
    for group in groups(context):
        pages = members(context, group)
        lines += ["", f"## {titles[group]}", ""]
        lines += [
            f"- [{bare(title)}]({context.url(path)}) ({day(moment)})"
            for path, title, moment in map(list_page, pages[:left])
        ]
        if len(pages) > left:
            lines += [f"- and {len(pages) - left} more"]
        left = max(0, left - len(pages))
    return [Output("\n".join([*lines, ""]).encode())]


def _robots(context: RenderContext) -> Iterable[Output]:
    rules, switches = context.site.robots, context.site.declarations
    signals = f"search={rules.search}, ai-input={rules.ai_input}, ai-train={rules.ai_train}"
    limits = f" within the limits at {context.url('/developers/')}" if context.served else ""
    lines = [
        f"# {context.site.title}: crawlers and agents are welcome{limits}",
        (
            f"# Agents: start at {context.url('/llms.txt')} or {context.url('/agents/')}; every page of the sitemap"
            " has a Markdown twin, every record a JSON one."
        ),
        (
            "# Content signals: search = index and link; ai-input = read into an answer, with citation; ai-train ="
            " train a model."
        ),
        "",
    ]
    for agent in rules.blocked:
        lines += [f"User-agent: {agent}", "Disallow: /", ""]
    lines += ["User-agent: *", *([f"Content-Signal: {signals}"] if switches.content_signal else [])]
    lines += [f"Disallow: {prefix}" for prefix in rules.disallow]
    lines += ["Allow: /", "", f"Sitemap: {context.url('/sitemap.xml')}"]
    lines += [f"License: {context.url(LICENSE_PATH)}", ""] if switches.rsl else [""]
    return [Output("\n".join(lines).encode())]


ALL = (
    Document[RenderContext](
        "sitemap", "/sitemap.xml", XML, Section.DISCOVERY, "The sitemap index with its nested shards.", _index
    ),
    Document[RenderContext](
        "sitemap_shard",
        "/sitemaps/{shard}.xml",
        XML,
        Section.DISCOVERY,
        "One shard of the sitemap.",
        _urlsets,
        parameters=(SITEMAP_SHARD,),
        promised=False,
    ),
    Document[RenderContext](
        "sitemap_markdown",
        "/sitemap.md",
        MARKDOWN,
        Section.EXTRAS,
        "The sitemap as Markdown.",
        _markdown,
        promised=False,
    ),
    Document[RenderContext](
        "robots", "/robots.txt", PLAIN_TEXT, Section.DISCOVERY, "Crawler and agent policy.", _robots
    ),
)
