"""Route guides for language models: llms.txt, its expanded form, and one for each collection."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, groupby
from operator import attrgetter

from citepress.archive.model import Entry
from citepress.base.ids import twin
from citepress.base.media import MARKDOWN, PLAIN_TEXT
from citepress.base.memo import memoized
from citepress.base.text import bounded, sentence
from citepress.base.timestamps import day, utc_year
from citepress.contract.document import Document, Output, Parameter, Section
from citepress.contract.kind import Kind
from citepress.contract.route import Route
from citepress.edition.examples import example_arguments, example_path
from citepress.edition.machine.guides import twins
from citepress.edition.machine.interface import body_text, submission_rules
from citepress.edition.machine.llms_lines import (
    bare,
    entry_line,
    everything,
    newest_records,
    origin_link,
    origin_links,
    size_of,
)
from citepress.edition.machine.sitemap import filled
from citepress.edition.pages.sources import extent
from citepress.edition.render_context import DATABASE, RenderContext
from citepress.kinds.posts import KIND as POSTS

COMPACT = 50_000
"""Characters of ``/llms.txt`` and of each collection's guide."""
EXPANDED = 500_000
"""Characters of ``/llms-full.txt``."""
OLDER_LINKS_CHARS = 1000
"""Characters that are left for links to older records."""
YEARLY = 200
"""Records of a collection from which on it has a guide for each year."""
YEAR = Parameter("year", "A year in which the collection has records.", r"[0-9]{4}", "2026")
PROGRAMS = ("llms_full", "openapi", "openapi_route_catalog", "changes_feed", "source_ledger", "discovery_graph")
"""Routes of documents for programs. Guides name them without a link, because links in a guide must lead to text."""
COLLECTION = Parameter("collection", "The name of a collection, or ``sources``.", r"[a-z]+(?:-[a-z]+)*", POSTS.name)


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


def _guide_links(context: RenderContext) -> list[str]:
    """The guides as Markdown."""
    guides = [r for r in context.routes if r.section is Section.CONTRACTS and r.negotiates and "{" not in r.path]
    lines = [f"- [{bare(route.summary.rstrip('.'))}]({context.url(twin(route.path, '.md'))})" for route in guides]
    return lines + [
        f"- [{r.path}]({context.url(r.path)}): {r.summary}"
        for r in map(context.table.named, ("agents_file", "sitemap_markdown"))
    ]


def _programs(context: RenderContext) -> list[str]:
    """The documents for programs, and the actions."""
    by_name = {route.name: route for route in context.table}
    routes = (by_name[name] for name in PROGRAMS if name in by_name)
    named = [f"- `{context.url(r.path)}`: {r.summary}" for r in routes]
    filters = "; filter it, and the page, with `?topic=`, `?tag=`, `?year=`, `?origin=` and `?since=`"
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
    """The actions, the submissions and the APIs in a few lines."""
    asked = [
        f"- `{r.method} {context.url(r.path)}`: {sentence(r.summary)}{_body(context, r)}"
        for r in context.routes
        if r.ask and r.media.is_json
    ]
    if asked:
        yield from ("To query and contribute:", "", *asked, "")
    if rules := submission_rules(context):
        yield from (" ".join(rules.split()), "")
    for api in context.apis:
        yield from (api.summary(context), "")


def _body(context: RenderContext, route: Route) -> str:
    """The body of a POST as it can be sent."""
    arguments = example_arguments(context, route) if route.method == "POST" else None
    return f" Body: `{body_text(arguments)}`" if arguments else ""


def _pages(context: RenderContext, lines: list[str]) -> list[str]:
    """The pages outside collections that the guide has not listed so far."""
    guide = "\n".join(lines)
    links = ((bare(title.rstrip(".")), context.url(twin(path, ".md"))) for path, title, _ in filled(context))
    return [f"- [{title}]({url})" for title, url in links if f"({url})" not in guide]


def _compact(context: RenderContext) -> Iterable[Output]:
    opening = [*_head(context), *_programs(context), "## Guides", "", *_guide_links(context)]
    beside = list(_beside(context))
    more = _pages(context, [*opening, *beside])
    ending = ["", "## Other pages", "", *more] if more else []
    collections = {kind.name: _opening(context, kind) for kind in context.archive.kinds}
    room = COMPACT - OLDER_LINKS_CHARS - size_of(chain(opening, beside, ending, *collections.values()))
    whole = everything(context, room)
    listed = whole or newest_records(context, room)
    for name, lines in collections.items():
        left = len(context.archive.collections[name]) - len(listed[name])
        lines.extend(listed[name])
        if left:
            lines.append(f"- [{left:,} older]({context.url(f'/{name}/llms.txt')})")
    origins = list(origin_links(context)) if whole else []
    return [Output(_cut((opening, *collections.values(), beside, origins, ending), COMPACT, context))]


def _opening(context: RenderContext, kind: Kind) -> list[str]:
    """The heading of a collection."""
    count = len(context.archive.collections[kind.name])
    about = f"- [All {count}]({context.url(f'/{kind.name}.md')}): {kind.about}"
    return ["", f"## {kind.plural}", "", about] if count else []


def _beside(context: RenderContext) -> Iterator[str]:
    """Datasets and sources."""
    if context.archive.datasets:
        yield from ("", "## Datasets", "")
        for dataset in context.archive.datasets:
            where = context.url(twin(dataset.path, ".md"))
            yield f"- [{bare(dataset.title)}]({where}): {bounded(dataset.summary, 200)}"
    if context.archive.origins:
        link = f"[All {len(context.archive.origins)} origins]({context.url('/sources.md')})"
        guide = f"`{context.url('/sources/llms.txt')}` lists them"
        yield from ("", "## Sources", "", f"- {link}: The origins of the sources, with a page for each; {guide}")


def _agents_file(context: RenderContext) -> Iterable[Output]:
    """Instructions in the form that agents look for beside a project (AGENTS.md)."""
    site, served = context.site, context.served
    lines = [f"# {site.title}", "", sentence(site.description or site.title), ""]
    lines += ["## Installation", ""]
    for api in context.apis:
        lines += [f"Nothing is needed to read. Over {api.name}: `{context.url(api.endpoint)}`, no key;"]
        lines += [f"[Connect]({context.url(twin(api.guide.href, '.md'))}) has one line for each client."]
    if not context.apis:
        lines.append("Nothing is needed: every address is read with GET, without a key.")
    lines += ["", "## Configuration", "", twins(context)]
    lines += [f"JSON routes allow {site.limits.rest} requests a minute.", ""] if served else [""]
    lines += ["## Usage", "", f"- Every route: [For agents]({context.url('/agents.md')})"]
    lines += [f"- Terms: [Glossary]({context.url('/glossary.md')})"]
    lines += [f"- Programs: `{context.url('/openapi.json')}`"]
    lines += [f"- Search: `{context.url('/search.json')}?query=words`"] if served else []
    lines += ["- Cite the canonical URL and the date of every record you rely on.", ""]
    return [Output("\n".join(lines).encode())]


def _expanded(context: RenderContext) -> Iterable[Output]:
    return [Output(_cut(_expanded_parts(context), EXPANDED, context))]


def _expanded_parts(context: RenderContext) -> Iterator[Sequence[str]]:
    """Produced lazily: a large archive has far more lines than the guide holds."""
    yield (*_head(context), *_asking(context), "## Routes", "")
    sections = list(Section)
    ordered = sorted(context.routes, key=lambda route: sections.index(route.section))
    for section, routes in groupby(ordered, key=attrgetter("section")):
        yield (f"### {section.value}", "", *(_route_line(context, route) for route in routes), "")
    for api in context.apis:
        yield tuple(api.reference(context))
    for kind in context.archive.kinds:
        if entries := context.archive.collections[kind.name]:
            yield (f"## {kind.plural}", "", kind.about, "")
            for entry in entries:
                yield memoized(entry.memo, "expanded", None, partial(_full_record, entry))


def _route_line(context: RenderContext, route: Route) -> str:
    path = example_path(context, route) if route.parameters else ""
    example = f" Example: {context.url(path)}" if path else ""
    return f"- `{route.method} {route.path}` ({route.media.type}): {sentence(route.summary)}{example}" + _body(
        context, route
    )


def _full_record(entry: Entry) -> list[str]:
    record = entry.record
    nugget = getattr(record, "retrieval_nugget", "") or record.summary
    title = record.title if "\n" not in record.title else " ".join(record.title.split())
    return [
        f"### {title}",
        "",
        f"{record.canonical_url} · published {day(record.published_at)}, updated {day(record.updated_at)}",
        "",
        nugget,
        "",
        *(f"- Source: [{bare(source.title)}]({source.url})" for source in record.sources[:10]),
        "",
    ]


def _collections(context: RenderContext) -> Iterator[Output]:
    for kind in context.archive.kinds:
        if entries := context.archive.collections[kind.name]:
            years = _years(context, kind).items()
            where = f"/{kind.name}/{{}}/llms.txt"
            links = [f"- [{year}: {len(part):,}]({context.url(where.format(year))})" for year, part in years]
            yield Output(_guide(context, kind, entries, links=links), {"collection": kind.name})
    if context.archive.origins:
        yield Output(_cut(_origins(context), COMPACT, context), {"collection": "sources"})


def _guide(
    context: RenderContext, kind: Kind, entries: Sequence[Entry], *, year: str = "", links: Sequence[str] = ()
) -> bytes:
    """The guide of a collection, with links to those of its years, or of one year."""

    def parts() -> Iterator[Sequence[str]]:
        title = f"# {kind.plural} of {context.site.title}"
        yield [f"{title}, {year}" if year else title, "", f"> {kind.about}", ""]
        yield ["## By year", "", *links, ""] if links else []
        yield [f"## All {len(entries)}, newest first", ""]
        for entry in entries:
            yield (entry_line(entry),)

    name = f"guide of {kind.name} {year}"
    return context.derivations.held(name, (entries,), lambda: _cut(parts(), COMPACT, context))


def _years(context: RenderContext, kind: Kind) -> Mapping[int, Sequence[Entry]]:
    """The records of each year, newest first, of a collection that is too long for one guide."""
    entries = context.archive.collections[kind.name]
    if len(entries) <= YEARLY:
        return {}
    years: dict[int, Sequence[Entry]] = {}
    start = 0
    while start < len(entries):
        year = utc_year(entries[start].head.published_at)
        end = bisect_right(entries, -year, lo=start, key=lambda entry: -utc_year(entry.head.published_at))
        years[year] = entries[start:end]
        start = end
    return years


def _yearly(context: RenderContext) -> Iterator[Output]:
    for kind in context.archive.kinds:
        for year, entries in _years(context, kind).items():
            guide = _guide(context, kind, entries, year=str(year))
            yield Output(guide, {"collection": kind.name, "year": str(year)})


def _origins(context: RenderContext) -> Iterator[Sequence[str]]:
    yield [
        f"# Sources of {context.site.title}",
        "",
        "> The origins of the archive's sources, each with its evidence.",
        "",
        "## Origins",
        "",
    ]
    for origin in context.archive.origins.values():
        yield (f"{origin_link(context, origin)}: {extent(origin)}",)


def _cut(parts: Iterable[Sequence[str]], limit: int, context: RenderContext) -> bytes:
    """Whole lines up to the limit of characters; if any are left out, the last line says where to find them."""
    end = f"\n- [The rest]({context.url('/sitemap.md')}): this guide is limited in size, the sitemap is complete"
    left, guide = limit - len(end) - 1, list[str]()
    for lines in filter(None, parts):
        text = "\n".join(lines)
        if len(text) < left:
            left -= len(text) + 1
            guide.append(text)
            continue
        for line in lines:
            left -= len(line) + 1
            if left < 0:
                return ("\n".join(guide) + end + "\n").encode()
            guide.append(line)
    return ("\n".join(guide).rstrip("\n") + "\n").encode()


ALL = (
    Document[RenderContext](
        "llms",
        "/llms.txt",
        PLAIN_TEXT,
        Section.CONTRACTS,
        "Compact route guide for language models.",
        _compact,
        resource=0.9,
    ),
    Document[RenderContext](
        "llms_full",
        "/llms-full.txt",
        PLAIN_TEXT,
        Section.CONTRACTS,
        "Expanded route guide for language models.",
        _expanded,
    ),
    Document[RenderContext](
        "collection_llms",
        "/{collection}/llms.txt",
        PLAIN_TEXT,
        Section.EXTRAS,
        "The compact guide of one collection.",
        _collections,
        parameters=(COLLECTION,),
        promised=False,
    ),
    Document[RenderContext](
        "collection_year_llms",
        "/{collection}/{year}/llms.txt",
        PLAIN_TEXT,
        Section.EXTRAS,
        "The compact guide of one year of a long collection.",
        _yearly,
        parameters=(COLLECTION, YEAR),
        promised=False,
    ),
    Document[RenderContext](
        "agents_file",
        "/AGENTS.md",
        MARKDOWN,
        Section.EXTRAS,
        "How an agent sets up, configures and uses access to this archive.",
        _agents_file,
        promised=False,
    ),
)
