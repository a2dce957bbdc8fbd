"""Route guides for language models: llms.txt, its expanded form, and one for each collection."""

from collections.abc import Iterable, Iterator
from itertools import chain, groupby

from citepress.archive.model import Entry
from citepress.base.ids import twin
from citepress.base.media import TEXT
from citepress.base.text import bounded, sentence, sentence_list
from citepress.base.timestamps import day
from citepress.contract.document import Document, Output, Parameter, Section
from citepress.contract.kind import Kind
from citepress.contract.mcp_offer import ENDPOINT
from citepress.contract.operation import Operation
from citepress.contract.route import Route
from citepress.edition.documents.arguments import members
from citepress.edition.documents.guides import twins
from citepress.edition.documents.interface import body_text, inbox_rules, submitting
from citepress.edition.documents.sitemap import filled
from citepress.edition.documents.sources import counted
from citepress.edition.examples import example_arguments, example_path
from citepress.edition.render_context import DATABASE, RenderContext

COMPACT = 50_000
"""Characters of ``/llms.txt`` and of each collection's guide."""
EXPANDED = 500_000
"""Characters of ``/llms-full.txt``."""
NEWEST = 12
"""Records of each collection in the compact guide."""
PROGRAMS = ("openapi", "openapi_route_catalog", "changes_feed", "source_ledger", "discovery_graph")
"""Routes of documents for programs. Guides name them without a link, because links in a guide must lead to text."""
COLLECTION = Parameter("collection", "The name of a collection, or ``sources``.", r"[a-z]+(?:-[a-z]+)*", "posts")


def _head(context: RenderContext) -> list[str]:
    site = context.site
    limits = f" JSON routes allow {site.limits.rest} requests a minute per client; Markdown and HTML are not limited."
    cite = f"Cite the canonical URL and the date of every record you rely on. Licence: {site.license}."
    return [
        f"# {site.title}",
        "",
        f"> {sentence(site.description or site.title)}",
        "",
        twins(context),
        "",
        f"{cite}{limits if context.served else ''}",
        "",
    ]


def _entry_line(entry: Entry) -> str:
    record = entry.record
    return (
        f"- [{_bare(record.title)}]({record.markdown_url}): {bounded(record.summary, 200)} ({day(record.updated_at)})"
    )


def _bare(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")


def _guide_links(context: RenderContext) -> list[str]:
    """The guides as Markdown."""
    guides = [r for r in context.routes if r.section is Section.CONTRACTS and r.negotiates and "{" not in r.path]
    lines = [f"- [{_bare(route.summary.rstrip('.'))}]({context.url(twin(route.path, '.md'))})" for route in guides]
    return lines + [
        f"- [{r.path}]({context.url(r.path)}): {r.summary}"
        for r in map(context.table.named, ("llms_full", "sitemap_markdown"))
    ]


def _programs(context: RenderContext) -> list[str]:
    """The documents for programs, and the actions."""
    named = [f"- `{context.url(r.path)}`: {r.summary}" for r in map(context.table.named, PROGRAMS)]
    filters = "; filter it with `?topic=`, `?origin=` and `?since=`, which HTML and Markdown lists ignore"
    index = (
        "- The JSON index of a collection is its path with `.json`, for example `/posts.json`"
        f"{filters if context.served else ''}."
    )
    database = (
        f"- `{context.url(DATABASE)}`: every record, source and citation as one SQLite file with a full-text index."
    )
    beside = () if context.served else (database,)
    return ["For programs:", "", *named, *beside, index, "", *_asking(context)]


def _asking(context: RenderContext) -> Iterator[str]:
    """The actions, the inbox and MCP in a few lines."""
    asked = [
        f"- `{r.method} {context.url(r.path)}`: {sentence(r.summary)}{_body(context, r)}"
        for r in context.routes
        if r.ask and r.media.is_json
    ]
    if asked:
        yield from ("To query and contribute:", "", *asked, "")
    if next(submitting(context), None):
        yield from (" ".join(inbox_rules(context).split()), "")
    if context.offer.tools:
        tools, prompts = (
            sentence_list([f"`{tool.name}`" for tool in offered])
            for offered in (context.offer.tools, context.offer.prompts)
        )
        yield from (
            (
                f"MCP: `POST {context.url(ENDPOINT)}` (Streamable HTTP, no key) with the tools {tools}, and the prompts"
                f" {prompts}."
            ),
            "",
        )


def _body(context: RenderContext, route: Route) -> str:
    """The body of a POST as it can be sent."""
    arguments = example_arguments(context, route) if route.method == "POST" else None
    return f" Body: `{body_text(arguments)}`" if arguments else ""


def _pages(context: RenderContext, lines: list[str]) -> list[str]:
    """The pages outside collections that the guide has not listed so far."""
    guide = "\n".join(lines)
    links = ((_bare(title.rstrip(".")), context.url(twin(path, ".md"))) for path, title, _ in filled(context))
    return [f"- [{title}]({url})" for title, url in links if f"({url})" not in guide]


def _compact(context: RenderContext) -> Iterable[Output]:
    lines = [*_head(context), *_programs(context), "## Guides", "", *_guide_links(context)]
    for kind in context.archive.kinds:
        entries = context.archive.collections[kind.name]
        if not entries:
            continue
        lines += [
            "",
            f"## {kind.plural}",
            "",
            f"- [All {len(entries)}]({context.url(f'/{kind.name}.md')}): {kind.about}",
        ]
        lines += [_entry_line(entry) for entry in entries[:NEWEST]]
        if len(entries) > NEWEST:
            lines.append(f"- [All {kind.plural.lower()}]({context.url(f'/{kind.name}/llms.txt')})")
    if context.archive.datasets:
        lines += ["", "## Datasets", ""]
        lines += [
            f"- [{_bare(d.title)}]({context.url(twin(d.path, '.md'))}): {bounded(d.summary, 200)}"
            for d in context.archive.datasets
        ]
    if context.archive.origins:
        link = f"[All {len(context.archive.origins)} origins]({context.url('/sources/llms.txt')})"
        lines += ["", "## Sources", "", f"- {link}: The origins of the sources, with a page for each"]
    if more := _pages(context, lines):
        lines += ["", "## Other pages", "", *more]
    return [Output(_cut(lines, COMPACT, context))]


def _expanded(context: RenderContext) -> Iterable[Output]:
    return [Output(_cut(_expanded_lines(context), EXPANDED, context))]


def _expanded_lines(context: RenderContext) -> Iterator[str]:
    """Produced lazily: a large archive has far more lines than the guide holds."""
    yield from (*_head(context), *_asking(context), "## Routes", "")
    for section, routes in groupby(
        sorted(context.routes, key=lambda r: list(Section).index(r.section)), key=lambda r: r.section
    ):
        yield from (f"### {section.value}", "", *(_route_line(context, route) for route in routes), "")
    if context.offer.tools:
        yield from (
            "## MCP tools",
            "",
            *(f"- `{tool.name}`: {tool.description}{_takes(tool)}" for tool in context.offer.tools),
            "",
        )
    for kind in context.archive.kinds:
        if entries := context.archive.collections[kind.name]:
            yield from (f"## {kind.plural}", "", kind.about, "")
            yield from chain.from_iterable(map(_full_record, entries))


def _takes(tool: Operation) -> str:
    """The arguments of a tool in words."""
    arguments = "; ".join(
        f"`{argument.name}` ({argument.type}{', required' if argument.required else ''})"
        for argument in members(tool.ask)
    )
    return f" Arguments: {arguments}." if arguments else ""


def _route_line(context: RenderContext, route: Route) -> str:
    path = example_path(context, route) if route.parameters else ""
    example = f" Example: {context.url(path)}" if path else ""
    return f"- `{route.method} {route.path}` ({route.media.type}): {sentence(route.summary)}{example}" + _body(
        context, route
    )


def _full_record(entry: Entry) -> list[str]:
    record = entry.record
    nugget = getattr(record, "retrieval_nugget", "") or record.summary
    return [
        f"### {record.title}",
        "",
        f"{record.canonical_url} · published {day(record.published_at)}, updated {day(record.updated_at)}",
        "",
        nugget,
        "",
        *(f"- Source: [{_bare(source.title)}]({source.url})" for source in record.sources[:10]),
        "",
    ]


def _collections(context: RenderContext) -> Iterator[Output]:
    for kind in context.archive.kinds:
        if context.archive.collections[kind.name]:
            yield Output(_cut(_collection(context, kind), COMPACT, context), {"collection": kind.name})
    if context.archive.origins:
        yield Output(_cut(_origins(context), COMPACT, context), {"collection": "sources"})


def _collection(context: RenderContext, kind: Kind) -> Iterator[str]:
    entries = context.archive.collections[kind.name]
    lines = [
        f"# {kind.plural} of {context.site.title}",
        "",
        f"> {kind.about}",
        "",
        f"## All {len(entries)}, newest first",
        "",
    ]
    return chain(lines, map(_entry_line, entries))


def _origins(context: RenderContext) -> Iterator[str]:
    lines = [
        f"# Sources of {context.site.title}",
        "",
        "> The origins of the archive's sources, each with its evidence.",
        "",
        "## Origins",
        "",
    ]
    rows = (
        f"- [{_bare(o.title)}]({context.url(f'/sources/{o.id}.md')}): {counted(o)}"
        for o in context.archive.origins.values()
    )
    return chain(lines, rows)


def _cut(lines: Iterable[str], limit: int, context: RenderContext) -> bytes:
    """Whole lines up to the limit of characters; if any are left out, the last line says where to find them."""
    end = f"\n- [The rest]({context.url('/sitemap.md')}): this guide is limited in size, the sitemap is complete"
    left, guide = limit - len(end) - 1, list[str]()
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            return ("\n".join(guide) + end + "\n").encode()
        guide.append(line)
    return ("\n".join(guide).rstrip("\n") + "\n").encode()


ALL = (
    Document[RenderContext](
        "llms", "/llms.txt", TEXT, Section.CONTRACTS, "Compact route guide for language models.", _compact, resource=0.9
    ),
    Document[RenderContext](
        "llms_full", "/llms-full.txt", TEXT, Section.CONTRACTS, "Expanded route guide for language models.", _expanded
    ),
    Document[RenderContext](
        "collection_llms",
        "/{collection}/llms.txt",
        TEXT,
        Section.EXTRAS,
        "The compact guide of one collection.",
        _collections,
        parameters=(COLLECTION,),
        promised=False,
    ),
)
