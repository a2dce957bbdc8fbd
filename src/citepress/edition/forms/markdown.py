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
    Sources,
    Table,
)
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.forms.absolute import placing
from citepress.edition.forms.markdown_escape import anchor, dated, dotted, link, links, text
from citepress.edition.forms.prose import Place, sanitize
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
    for block in page.blocks:
        if block.title:
            lines += [f"## {text(block.title)}", ""]
        lines += [*WRITERS[type(block)](block, place), ""]
        if isinstance(block, Cite) and context.citations:
            forms = [Link(form.title, form.path(page.path)) for form in context.citations if form.imported]
            lines += [f"To import: {links(forms, place)}", ""]
    return ("\n".join(lines).rstrip("\n") + "\n").encode()


def _front(page: Page, context: RenderContext) -> Iterator[str]:
    members: dict[str, object] = {
        "title": page.title,
        "description": page.description,
        "canonical_url": context.url(page.path),
        "date_published": page.published and rfc3339(page.published),
        "date_modified": page.updated and rfc3339(page.updated),
        "schema_version": SCHEMA_VERSION,
        "license": page.license or context.site.license,
        "language": page.language,
    }
    yield "---"
    for name, value in members.items():
        if value:
            yield f"{name}: {orjson.dumps(value).decode()}"  # a JSON scalar is a YAML scalar
    yield "---"


def _about(page: Page, context: RenderContext, place: Place) -> Iterator[str]:
    """The metadata of a page, the same in every form."""
    label = dotted(text(page.label), dated("published", page.published), dated("updated", page.updated))
    if label:
        yield f"{label}  "
    if page.topics:
        yield f"Topics: {links(page.topics, place)}  "
    if page.feeds:
        yield f"Feeds: {links(page.feeds, place)}  "
    forms = [
        Link(form.title, form.path(page.path)) for form in context.forms if page.data is not None or not form.needs_data
    ]
    yield f"Forms: {links(forms, place)}  "
    if page.next:
        yield f"Continued: {anchor('Next page', twin(page.next, '.md'), place)}  "
    yield f"For agents: {anchor('llms.txt', '/llms.txt', place)} lists every route."


def _prose(block: Prose, place: Place) -> Iterator[str]:
    yield sanitize(block.markdown, 3 if block.title else 2, place).strip("\n")


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
        carried = f"({links(item.links, place)})" if item.links else ""
        carried += f" [#]({place(f'#{item.id}')})" if item.id else ""
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
    for source in block.sources:
        dates = (dated("published", source.published), dated("read", source.accessed))
        origin = f"origin: {link(source.origin, place)}"
        yield (
            f"- {dotted(anchor(source.title, source.url, place), text(source.publisher), *dates, source.role, origin)}"
        )


def _table(block: Table, place: Place) -> Iterator[str]:
    if block.caption:
        yield from (text(block.caption), "")
    yield _row([text(column) for column in block.columns])
    yield _row(["---"] * len(block.columns))
    for row in block.rows:
        yield _row([link(cell, place) for cell in row])


def _row(cells: Sequence[str]) -> str:
    written = (cell.replace("|", chr(92) + "|") for cell in cells)
    return "|" + "".join(f" {cell} |" if cell else " |" for cell in written)


def _chart(block: Chart, place: Place) -> Iterator[str]:
    yield from (text(block.summary), "")
    if block.table.title not in {"", block.title}:
        yield from (text(block.table.title), "")
    yield from _table(block.table, place)
    if block.json_href:
        yield from ("", f"Numbers: {anchor(block.json_href, block.json_href, place)}")


def _code(block: Code, _place: Place) -> Iterator[str]:
    fence = "```"
    while fence in block.text:
        fence += "`"
    yield f"{fence}{block.language}"
    yield block.text
    yield fence


def _cite(block: Cite, _place: Place) -> Iterator[str]:
    line = block.citation.line
    words, _, address = line.rpartition(" ")
    # A DOI may have a bracket, which would end the link.
    yield text(line) if "<" in address or ">" in address else f"{text(words)} <{address}>"


def _pager(block: Pager, place: Place) -> Iterator[str]:
    named = (("First", block.first), ("Previous", block.previous), ("Next", block.next), ("Last", block.last))
    yield dotted(f"Page {block.page} of {block.count}", *(anchor(name, href, place) for name, href in named if href))


WRITERS: dict[type[Block], Writer] = {
    Prose: _prose,
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
