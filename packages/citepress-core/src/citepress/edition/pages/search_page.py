"""Templates of the search page, with placeholders that a worker fills with the query and its results."""

from collections.abc import Iterator

from citepress.contract.page import Link, Page
from citepress.edition.forms import html
from citepress.edition.render_context import RenderContext

SEARCH_PATH = "/search/"
QUERY = b"<!--query-->"
"""Placeholder of the query, inside an attribute of the HTML template."""
OPTIONS = b"<!--kinds-->"
"""Placeholder of the collections to choose from."""
ROBOTS = b"<!--robots-->"
"""Placeholder of what crawlers are told: results are not to be indexed, the form may be."""
RESULTS = b"<!--results-->"
"""Placeholder of the results, in both templates."""
SEARCH_TEMPLATES = {"html": "search.html", "markdown": "search.md"}
"""The template of each form."""
ABOUT = "Search all published records; the best match comes first."


def search_page(template: str) -> Page:
    """The page with its form, for one of the theme's templates."""
    return Page(
        SEARCH_PATH, "Search", ABOUT, (), label="Search", template=template, crumbs=(Link("Home", "/"),), indexed=False
    )


def search_page_templates(context: RenderContext) -> dict[str, bytes]:
    """The templates by name; none if the route table has no search page."""
    if context.table.match(SEARCH_PATH) is None:
        return {}
    page = html.write(search_page("search"), context)
    return {SEARCH_TEMPLATES["html"]: page, SEARCH_TEMPLATES["markdown"]: "\n".join(_markdown(context)).encode()}


def _markdown(context: RenderContext) -> Iterator[str]:
    address = context.url(SEARCH_PATH)
    yield from (
        "# Search",
        "",
        f"{ABOUT} Search with {address}?query=words; add &kinds=posts,signals or &topic=slug as filters.",
        "",
    )
    yield from (RESULTS.decode(), "", f"Programs: {context.url('/search.json')}?query=words", "")
