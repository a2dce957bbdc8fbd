"""The search page before anything was asked: shells of the theme with marks where a worker puts what it found."""

from collections.abc import Iterator

from citepress.contract.page import Link, Page
from citepress.edition.forms import html
from citepress.edition.render_context import RenderContext

PATH = "/search/"
QUERY = b"<!--query-->"
"""Where the HTML shell wants the query, inside an attribute."""
OPTIONS = b"<!--kinds-->"
"""Where it wants the collections to choose from."""
RESULTS = b"<!--results-->"
"""Where both shells want what was found."""
SHELLS = {"html": "search.html", "markdown": "search.md"}
"""The shell of each form."""
ABOUT = "Every published record by words, the best match first."


def search_page_templates(desk: RenderContext) -> dict[str, bytes]:
    """The search page by name of its shell; none where the table knows no such page."""
    if desk.table.match(PATH) is None:
        return {}
    page = Page(
        PATH,
        "Search",
        ABOUT,
        (),
        label="Search",
        template="search",
        crumbs=(Link("Home", "/"),),
        indexed=False,
    )
    return {SHELLS["html"]: html.write(page, desk), SHELLS["markdown"]: "\n".join(_markdown(desk)).encode()}


def _markdown(desk: RenderContext) -> Iterator[str]:
    yield from ("# Search", "", f"{ABOUT} Ask with {desk.url(PATH)}?query=words; add &kinds=posts,signals or &topic=slug to narrow it.", "")
    yield from (RESULTS.decode(), "", f"Programs: {desk.url('/search.json')}?query=words", "")
