"""The sitemap index, its shards, a Markdown twin, and robots.txt."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import TypeAlias

from lxml import etree

from citepress.base.media import MARKDOWN, TEXT, XML
from citepress.base.timestamps import day, rfc3339
from citepress.contract.document import Document, Output, Parameter, Section
from citepress.edition.documents.guides import BUILT_IN, own_path
from citepress.edition.render_context import RenderContext

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
SHARD_URLS = 5000
MARKDOWN_LINKS = 2000
Groups: TypeAlias = dict[str, list[tuple[str, str, datetime]]]
SITEMAP_SHARD = Parameter("shard", "A sitemap shard named by /sitemap.xml.", r"[a-z]+(?:-[a-z]+)*-[0-9]{1,4}", "pages-1")


def listed(desk: RenderContext) -> Groups:
    """(path, title, last change) of every page a crawler should know, by group; groups and pages in a stable order. Not to be changed."""
    if "listed" not in desk.memo:
        desk.memo["listed"] = _listed(desk)
    found: Groups = desk.memo["listed"]
    return found


def _listed(desk: RenderContext) -> Groups:
    archive = desk.archive
    groups: dict[str, list[tuple[str, str, datetime]]] = {"pages": _fixed(desk)}
    for kind in archive.kinds:
        if entries := archive.collections[kind.name]:
            groups[kind.name] = [(entry.path, entry.record.title, entry.record.updated_at) for entry in entries]
    updated = {
        o.id: max((archive.entries[id_].record.updated_at for id_ in o.records), default=archive.as_of) for o in archive.origins.values()
    }
    if archive.origins:
        groups["sources"] = [(f"/sources/{o.id}/", o.title, updated[o.id]) for o in archive.origins.values()]
    return groups


def _fixed(desk: RenderContext) -> list[tuple[str, str, datetime]]:
    """Pages without parameters, and the few of a kind that are no records: datasets and the publisher's own pages."""
    archive = desk.archive
    pages = [route for route in desk.table if route.negotiates and "{" not in route.path and route.ask is None]
    fixed = [(route.path, route.summary, route.changed(desk) or archive.as_of) for route in pages]
    fixed += [(dataset.path, dataset.title, dataset.updated) for dataset in archive.datasets]
    fixed += [(own_path(page), page.title, page.updated or archive.as_of) for page in archive.pages.values() if page.slug not in BUILT_IN]
    return sorted(fixed)


def _shards(desk: RenderContext) -> Groups:
    return {
        f"{group}-{number}": pages[start : start + SHARD_URLS]
        for group, pages in listed(desk).items()
        for number, start in enumerate(range(0, len(pages), SHARD_URLS), 1)
    }


def _element(name: str, rows: Iterable[Mapping[str, str]], row_name: str) -> bytes:
    root = etree.Element(f"{{{NAMESPACE}}}{name}", nsmap={None: NAMESPACE})  # type: ignore[dict-item]  # the default namespace
    for row in rows:
        item = etree.SubElement(root, f"{{{NAMESPACE}}}{row_name}")
        for key, text in row.items():
            etree.SubElement(item, f"{{{NAMESPACE}}}{key}").text = text
    etree.indent(root)
    written: bytes = etree.tostring(root, xml_declaration=True, encoding="utf-8")
    return written + b"\n"


def _index(desk: RenderContext) -> Iterable[Output]:
    rows = [
        {"loc": desk.url(f"/sitemaps/{name}.xml"), "lastmod": rfc3339(max(moment for _, _, moment in pages))}
        for name, pages in _shards(desk).items()
    ]
    return [Output(_element("sitemapindex", rows, "sitemap"))]


def _urlsets(desk: RenderContext) -> Iterator[Output]:
    for name, pages in _shards(desk).items():
        inputs = [[path, moment] for path, _, moment in pages]
        yield Output(partial(_urlset, desk, pages), {"shard": name}, max(moment for _, _, moment in pages), inputs=inputs)


def _urlset(desk: RenderContext, pages: Iterable[tuple[str, str, datetime]]) -> bytes:
    """A page that is rendered again while it is served has no last change that this document could know."""
    live = {route.path for route in desk.table if route.live}
    rows = ({"loc": desk.url(path)} | ({} if path in live else {"lastmod": rfc3339(moment)}) for path, _, moment in pages)
    return _element("urlset", rows, "url")


def _markdown(desk: RenderContext) -> Iterable[Output]:
    lines = [
        f"# Sitemap of {desk.site.title}",
        "",
        f"Every page, newest first in each group; the whole list is at <{desk.url('/sitemap.xml')}>.",
    ]
    left = MARKDOWN_LINKS
    titles = {kind.name: kind.plural for kind in desk.archive.kinds} | {"pages": "Pages", "sources": "Sources"}
    for group, pages in listed(desk).items():
        lines += ["", f"## {titles[group]}", ""]
        lines += [f"- [{_bare(title)}]({desk.url(path)}) ({day(moment)})" for path, title, moment in pages[:left]]
        if len(pages) > left:
            lines += [f"- and {len(pages) - left} more"]
        left = max(0, left - len(pages))
    return [Output("\n".join([*lines, ""]).encode())]


def _bare(title: str) -> str:
    return title.replace("[", "(").replace("]", ")")


def _robots(desk: RenderContext) -> Iterable[Output]:
    rules = desk.site.robots
    signals = f"search={rules.search}, ai-input={rules.ai_input}, ai-train={rules.ai_train}"
    lines = [
        f"# {desk.site.title}: crawlers and agents are welcome within the limits at {desk.url('/developers/')}",
        f"# Agents: start at {desk.url('/llms.txt')} or {desk.url('/agents/')}; every page of the sitemap has a Markdown twin, every record a JSON one.",
        "# Content signals: search = index and link; ai-input = read into an answer, with citation; ai-train = train a model.",
        "",
    ]
    for agent in rules.blocked:
        lines += [f"User-agent: {agent}", "Disallow: /", ""]
    lines += ["User-agent: *", f"Content-Signal: {signals}"]
    lines += [f"Disallow: {prefix}" for prefix in rules.disallow]
    lines += ["Allow: /", "", f"Sitemap: {desk.url('/sitemap.xml')}", ""]
    return [Output("\n".join(lines).encode())]


ALL = (
    Document[RenderContext]("sitemap", "/sitemap.xml", XML, Section.DISCOVERY, "The sitemap index with its nested shards.", _index),
    Document[RenderContext](
        "sitemap_shard", "/sitemaps/{shard}.xml", XML, Section.DISCOVERY, "One shard of the sitemap.", _urlsets,
        parameters=(SITEMAP_SHARD,), promised=False,
    ),
    Document[RenderContext]("sitemap_markdown", "/sitemap.md", MARKDOWN, Section.EXTRAS, "The sitemap as Markdown.", _markdown, promised=False),
    Document[RenderContext]("robots", "/robots.txt", TEXT, Section.DISCOVERY, "Crawler and agent policy.", _robots),
)  # fmt: skip
