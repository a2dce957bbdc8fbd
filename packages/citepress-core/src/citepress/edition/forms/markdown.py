"""The Markdown form: front matter, the title, then every block of the page with absolute links."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import orjson

from citepress.base.ids import twin
from citepress.base.media import MARKDOWN
from citepress.base.timestamps import day, rfc3339
from citepress.contract.form import Form
from citepress.contract.page import (
    Block,
    Cards,
    Chart,
    Cite,
    Code,
    Facets,
    Fact,
    Facts,
    Items,
    Link,
    Notice,
    Nugget,
    Page,
    Pager,
    Prose,
    SearchField,
    Siblings,
    Sources,
    Table,
)
from citepress.contract.version import CONTRACT_VERSION, SCHEMA_VERSION
from citepress.edition.feeds.derived import every_format
from citepress.edition.prose.absolute import placing
from citepress.edition.prose.markdown_escape import anchor, citation_line, dated, dotted, link, links, quoted, text
from citepress.edition.prose.paragraphs import paragraphs
from citepress.edition.prose.renderer import record_text
from citepress.edition.prose.sanitizer import Mark, Place, sanitize
from citepress.edition.prose.source_marks import in_markdown, source_marks
from citepress.edition.render_context import RenderContext

Writer = Callable[[Any, Place], Iterator[str]]
"""``(block, place) -> lines``."""


def write(page: Page, context: RenderContext) -> bytes:
    """The page as CommonMark with YAML front matter (design, "Representations and negotiation")."""
    place = placing(context, page.path)
    lines = [*_front(page, context), "", f"# {text(page.title)}", ""]
    if page.dek:
        lines += [text(page.dek), ""]
    lines += [*_about(page, context, place), ""]
    writers: dict[type[Block], Writer] = {
        **WRITERS,
        Prose: partial(_prose, mark=partial(in_markdown, source_marks(page))),
    }
    for block in page.blocks:
        if block.title:
            lines += [f"## {text(block.title)}", ""]
        lines += [*writers[type(block)](block, place), ""]
        if isinstance(block, Cite) and context.citations:
            forms = [Link(form.title, form.path(page.path)) for form in context.citations if form.imported]
            lines += [f"To import: {links(forms, place)}", ""]
    lines += [
        "## Sitemap",
        "",
        f"{anchor('All pages', '/sitemap.md', place)}, {anchor('glossary', '/glossary.md', place)}",
    ]
    return ("\n".join(lines).rstrip("\n") + "\n").encode()


def block_markdown(block: Block, place: Place) -> str:
    """A block without its heading."""
    return "\n".join(WRITERS[type(block)](block, place))


def _front(page: Page, context: RenderContext) -> Iterator[str]:
    members: dict[str, object] = {
        "title": page.title,
        "description": page.description,
        "canonical_url": context.url(page.path),
        "date_published": page.published and rfc3339(page.published),
        "date_modified": page.updated and rfc3339(page.updated),
        "last_updated": day(page.changed or context.archive.as_of),
        "doc_version": page.citation.edition if page.citation else CONTRACT_VERSION,
        "schema_version": SCHEMA_VERSION,
        "license": page.license or context.site.license,
        "language": page.language,
        "paragraphs": [paragraph.id for paragraph in paragraphs(record_text(page))],
    }
    yield "---"
    for name, value in members.items():
        if value:
            yield f"{name}: {orjson.dumps(value).decode()}"  # JSON is YAML
    yield "---"


def _about(page: Page, context: RenderContext, place: Place) -> Iterator[str]:
    """The metadata of a page, the same in every form."""
    days = [dated("published", page.published), dated("updated", page.updated)]
    if page.dates:
        days = ["".join([link(part, place) for part in page.dates])]
    label = dotted(text(page.label), *days)
    if label:
        yield f"{label}  "
    if page.authors:
        yield f"By {links(page.authors, place)}  "
    if page.standing:
        yield f"{dotted(*(f'{text(row.label)}: {links(row.values, place)}' for row in page.standing))}  "
    if page.topics:
        yield f"Topics: {links(page.topics, place)}  "
    if page.feeds:
        yield f"Feeds: {links(tuple(every_format(page.feeds)), place)}  "
    forms = [
        Link(form.title, form.path(page.path) + page.query)
        for form in context.forms
        if page.data is not None or not form.needs_data
    ]
    yield f"Forms: {links(forms, place)}  "
    if page.next:
        yield f"Continued: {anchor('Next page', twin(page.next, '.md'), place)}  "
    yield f"For agents: {anchor('llms.txt', '/llms.txt', place)} lists every route."


def _prose(block: Prose, place: Place, mark: Mark | None = None) -> Iterator[str]:
    yield sanitize(block.markdown, 3 if block.title else 2, place, mark).strip("\n")


def _nugget(block: Nugget, _place: Place) -> Iterator[str]:
    yield f"> {text(block.text)}"


def _notice(block: Notice, place: Place) -> Iterator[str]:
    before = f"{block.before} " if block.before else ""
    yield f"**Note:** {text(before)}{anchor(block.text, block.href, place)}"


def _fact(fact: Fact, place: Place) -> str:
    return f"- **{text(fact.label)}:** {links(fact.values, place)}"


def _facts(block: Facts, place: Place) -> Iterator[str]:
    yield from (_fact(fact, place) for fact in block.facts)


def _facets(block: Facets, place: Place) -> Iterator[str]:
    yield from (_fact(fact, place) for fact in block.groups)


def _items(block: Items, place: Place) -> Iterator[str]:
    for number, item in enumerate(block.items, 1):
        mark = f"{number}." if block.ordered else "-"
        title = f"**{anchor(item.title, item.href, place)}**" if item.title else ""
        words = text(item.text) if item.title or not item.href else anchor(item.text, item.href, place)
        named = (Link(f"[{mark.number}] {mark.title}", mark.url) for mark in item.sources)
        carried = links((*named, *item.links), place)
        carried = f"({carried})" if carried else ""
        carried += f" [#]({place(f'#{item.id}')})" if item.id else ""
        words = words or (quoted(item.passage) if item.passage else "")
        date = day(item.date) if item.date else ""
        between = " " if item.title.endswith((".", "?", "!")) else ": "
        yield f"{mark} {dotted(date, between.join(part for part in (title, words) if part))} {carried}".rstrip()


def _cards(block: Cards, place: Place) -> Iterator[str]:
    for card in block.cards:
        date = day(card.date) if card.date else ""
        yield f"- {dotted(anchor(card.title, card.href, place), text(card.label), date, *map(text, card.marks))}"
        if card.summary:
            yield f"  {text(card.summary)}"
    if block.more:
        yield f"- {link(block.more, place)}"


def _sources(block: Sources, place: Place) -> Iterator[str]:
    for number, source in enumerate(block.sources, 1):
        dates = (dated("published", source.published), dated("read", source.accessed))
        origin = f"origin: {link(source.origin, place)}"
        carries = f"carries {links(source.carries, place)}" if source.carries else ""
        title = anchor(source.title, source.url, place)
        about = (text(source.publisher), *dates, source.role, text(source.state), origin, carries)
        yield f"{number}. {dotted(title, *about)}"


def _table(block: Table, place: Place) -> Iterator[str]:
    if block.caption:
        yield from (text(block.caption), "")
    yield _row([text(column) for column in block.columns])
    yield _row(["---"] * len(block.columns))
    for row in block.rows:
        yield _row([link(cell, place) if isinstance(cell, Link) else links(cell, place) for cell in row])


def _row(cells: Sequence[str]) -> str:
    written = (cell.replace("|", chr(92) + "|") for cell in cells)
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in written)


def _chart(block: Chart, place: Place) -> Iterator[str]:
    yield text(block.summary)
    if not block.table.rows:
        return
    yield ""
    if block.table.title not in {"", block.title}:
        yield from (text(block.table.title), "")
    yield from _table(block.table, place)
    if block.source:
        yield from ("", f"Source: {link(block.source, place)}")
    if block.json_href:
        yield from ("", f"Numbers: {anchor(block.json_href, block.json_href, place)}")


def _search_field(block: SearchField, place: Place) -> Iterator[str]:
    yield f"Search with `{place(block.path)}?query=words`."


def _code(block: Code, _place: Place) -> Iterator[str]:
    fence = "```"
    while fence in block.text:
        fence += "`"
    yield f"{fence}{block.language}"
    yield block.text
    yield fence


def _cite(block: Cite, _place: Place) -> Iterator[str]:
    yield citation_line(block.citation.line)


def _siblings(block: Siblings, place: Place) -> Iterator[str]:
    before, after = ("Previous", "Next") if block.ordered else ("Newer", "Older")
    shown = ((before, block.newer), (after, block.older))
    yield dotted(*[f"{name}: {link(neighbour, place)}" for name, neighbour in shown if neighbour])


def _pager(block: Pager, place: Place) -> Iterator[str]:
    named = (("First", block.first), ("Previous", block.previous), ("Next", block.next), ("Last", block.last))
    yield dotted(f"Page {block.page} of {block.count}", *(anchor(name, href, place) for name, href in named if href))


WRITERS: dict[type[Block], Writer] = {
    Prose: _prose,
    SearchField: _search_field,
    Siblings: _siblings,
    Nugget: _nugget,
    Notice: _notice,
    Facts: _facts,
    Facets: _facets,
    Items: _items,
    Cards: _cards,
    Sources: _sources,
    Table: _table,
    Chart: _chart,
    Cite: _cite,
    Code: _code,
    Pager: _pager,
}
"""How each block is written."""

FORM = Form("markdown", "Markdown", MARKDOWN, partial(twin, suffix=".md"), write)
