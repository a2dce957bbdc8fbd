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
from citepress.edition.documents.sitemap import listed
from citepress.edition.examples import example_arguments, example_path
from citepress.edition.render_context import RenderContext

COMPACT = 50_000
"""Characters of ``/llms.txt`` and of each collection's guide."""
EXPANDED = 500_000
"""Characters of ``/llms-full.txt``."""
NEWEST = 12
"""Records of each collection in the compact guide."""
PROGRAMS = ("openapi", "openapi_route_catalog", "changes_feed", "source_ledger", "discovery_graph")
"""Documents for programs by the names of their routes: named in words, because a link of a guide leads to text."""
COLLECTION = Parameter("collection", "The name of a collection, or ``sources``.", r"[a-z]+(?:-[a-z]+)*", "posts")


def _head(desk: RenderContext) -> list[str]:
    site = desk.site
    limits = f"JSON routes allow {site.limits.rest} requests a minute for each client; Markdown and HTML are outside that limit."
    cite = f"Cite the canonical URL and the date of every record you rely on. Licence: {site.license}."
    return [f"# {site.title}", "", f"> {sentence(site.description or site.title)}", "", twins(desk), "", f"{cite} {limits}", ""]


def _entry_line(entry: Entry) -> str:
    record = entry.record
    return f"- [{_bare(record.title)}]({record.markdown_url}): {bounded(record.summary, 200)} ({day(record.updated_at)})"


def _bare(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")


def _guide_links(desk: RenderContext) -> list[str]:
    """The pages that tell how to use the archive, in Markdown."""
    guides = [r for r in desk.routes if r.section is Section.CONTRACTS and r.negotiates and "{" not in r.path]
    lines = [f"- [{_bare(route.summary.rstrip('.'))}]({desk.url(twin(route.path, '.md'))})" for route in guides]
    return lines + [f"- [{r.path}]({desk.url(r.path)}): {r.summary}" for r in map(desk.table.named, ("llms_full", "sitemap_markdown"))]


def _programs(desk: RenderContext) -> list[str]:
    """Documents for programs, and what can be asked."""
    named = [f"- `{desk.url(r.path)}`: {r.summary}" for r in map(desk.table.named, PROGRAMS)]
    index = "- The index of a collection is its list with `.json`, as `/posts.json`; `?topic=`, `?origin=` and `?since=` narrow it."
    return ["For programs:", "", *named, index, "", *_asking(desk)]


def _asking(desk: RenderContext) -> Iterator[str]:
    """How to ask and to answer back, in a few lines."""
    asked = [f"- `{r.method} {desk.url(r.path)}`: {sentence(r.summary)}{_body(desk, r)}" for r in desk.routes if r.ask and r.media.is_json]
    if asked:
        yield from ("To ask and to answer back:", "", *asked, "")
    if next(submitting(desk), None):
        yield from (" ".join(inbox_rules(desk).split()), "")
    if desk.offer.tools:
        tools, prompts = (sentence_list([f"`{one.name}`" for one in found]) for found in (desk.offer.tools, desk.offer.prompts))
        yield from (f"MCP: `POST {desk.url(ENDPOINT)}` (Streamable HTTP, no key) with the tools {tools}, and the prompts {prompts}.", "")


def _body(desk: RenderContext, route: Route) -> str:
    """The body of a POST as it can be sent."""
    arguments = example_arguments(desk, route) if route.method == "POST" else None
    return f" Body: `{body_text(arguments)}`" if arguments else ""


def _pages(desk: RenderContext, lines: list[str]) -> list[str]:
    """The pages of no collection that the guide has not named so far."""
    told = "\n".join(lines)
    links = ((_bare(title.rstrip(".")), desk.url(twin(path, ".md"))) for path, title, _ in listed(desk)["pages"])
    return [f"- [{title}]({url})" for title, url in links if f"({url})" not in told]


def _compact(desk: RenderContext) -> Iterable[Output]:
    lines = [*_head(desk), *_programs(desk), "## Guides", "", *_guide_links(desk)]
    for kind in desk.archive.kinds:
        entries = desk.archive.collections[kind.name]
        if not entries:
            continue
        lines += ["", f"## {kind.plural}", "", f"- [All {len(entries)}]({desk.url(f'/{kind.name}.md')}): {kind.about}"]
        lines += [_entry_line(entry) for entry in entries[:NEWEST]]
        if len(entries) > NEWEST:
            lines.append(f"- [All {kind.plural.lower()}]({desk.url(f'/{kind.name}/llms.txt')})")
    if desk.archive.datasets:
        lines += ["", "## Datasets", ""]
        lines += [f"- [{_bare(d.title)}]({desk.url(twin(d.path, '.md'))}): {bounded(d.summary, 200)}" for d in desk.archive.datasets]
    if desk.archive.origins:
        link = f"[All {len(desk.archive.origins)} origins]({desk.url('/sources/llms.txt')})"
        lines += ["", "## Sources", "", f"- {link}: Where the evidence comes from, a page for each origin"]
    if more := _pages(desk, lines):
        lines += ["", "## Other pages", "", *more]
    return [Output(_cut(lines, COMPACT, desk))]


def _expanded(desk: RenderContext) -> Iterable[Output]:
    return [Output(_cut(_expanded_lines(desk), EXPANDED, desk))]


def _expanded_lines(desk: RenderContext) -> Iterator[str]:
    """As many as are asked for: a large archive has far more than the guide holds."""
    yield from (*_head(desk), *_asking(desk), "## Routes", "")
    for section, routes in groupby(sorted(desk.routes, key=lambda r: list(Section).index(r.section)), key=lambda r: r.section):
        yield from (f"### {section.value}", "", *(_route_line(desk, route) for route in routes), "")
    if desk.offer.tools:
        yield from ("## MCP tools", "", *(f"- `{tool.name}`: {tool.description}{_takes(tool)}" for tool in desk.offer.tools), "")
    for kind in desk.archive.kinds:
        if entries := desk.archive.collections[kind.name]:
            yield from (f"## {kind.plural}", "", kind.about, "")
            yield from chain.from_iterable(map(_full_record, entries))


def _takes(tool: Operation) -> str:
    """The arguments of a tool in words."""
    told = "; ".join(f"`{one.name}` ({one.type}{', required' if one.required else ''})" for one in members(tool.ask))
    return f" Arguments: {told}." if told else ""


def _route_line(desk: RenderContext, route: Route) -> str:
    path = example_path(desk, route) if route.parameters else ""
    example = f" Example: {desk.url(path)}" if path else ""
    return f"- `{route.method} {route.path}` ({route.media.type}): {sentence(route.summary)}{example}{_body(desk, route)}"


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


def _collections(desk: RenderContext) -> Iterator[Output]:
    for kind in desk.archive.kinds:
        if desk.archive.collections[kind.name]:
            yield Output(_cut(_collection(desk, kind), COMPACT, desk), {"collection": kind.name})
    if desk.archive.origins:
        yield Output(_cut(_origins(desk), COMPACT, desk), {"collection": "sources"})


def _collection(desk: RenderContext, kind: Kind) -> Iterator[str]:
    entries = desk.archive.collections[kind.name]
    lines = [f"# {kind.plural} of {desk.site.title}", "", f"> {kind.about}", "", f"## All {len(entries)}, newest first", ""]
    return chain(lines, map(_entry_line, entries))


def _origins(desk: RenderContext) -> Iterator[str]:
    lines = [f"# Sources of {desk.site.title}", "", "> The origins of the archive's sources, each with its evidence.", "", "## Origins", ""]
    rows = (
        f"- [{_bare(o.title)}]({desk.url(f'/sources/{o.id}.md')}): {len(o.sources)} sources, cited in {len(o.records)} records"
        for o in desk.archive.origins.values()
    )
    return chain(lines, rows)


def _cut(lines: Iterable[str], limit: int, desk: RenderContext) -> bytes:
    """Whole lines up to the limit of characters; what is left out is said, and where it stands."""
    end = f"\n- [The rest]({desk.url('/sitemap.md')}): this guide is bounded, the sitemap is whole"
    left, kept = limit - len(end) - 1, list[str]()
    for line in lines:
        left -= len(line) + 1
        if left < 0:
            return ("\n".join(kept) + end + "\n").encode()
        kept.append(line)
    return ("\n".join(kept).rstrip("\n") + "\n").encode()


ALL = (
    Document[RenderContext]("llms", "/llms.txt", TEXT, Section.CONTRACTS, "Compact route guide for language models.", _compact, resource=0.9),
    Document[RenderContext]("llms_full", "/llms-full.txt", TEXT, Section.CONTRACTS, "Expanded route guide for language models.", _expanded),
    Document[RenderContext](
        "collection_llms", "/{collection}/llms.txt", TEXT, Section.EXTRAS, "The compact guide of one collection.", _collections,
        parameters=(COLLECTION,), promised=False,
    ),
)  # fmt: skip
