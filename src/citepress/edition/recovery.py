"""Recovery documents: a shell of the theme, told what went wrong and what is near."""

from collections.abc import Iterable, Iterator
from html import escape
from urllib.parse import quote

from citepress.contract.page import Item, Items, Link, Page
from citepress.edition.forms import html
from citepress.edition.forms.markdown_escape import link
from citepress.edition.render_context import RenderContext
from citepress.edition.served import PATH_SAFE

TITLE = b"<!--title-->"
"""Where a shell wants the title of the problem; both marks may stand several times, or not at all."""
PROBLEM = b"<!--problem-->"
"""Where a shell wants the explanation and the list of what is near."""
SHELLS = {"html": "404.html", "markdown": "404.md"}
"""The shell of each form that has one."""
WAYS = (
    Link("The front page", "/"),
    Link("Search the archive", "/search/"),
    Link("All pages (sitemap)", "/sitemap.xml"),
    Link("The guide for agents (llms.txt)", "/llms.txt"),
    Link("How agents use this archive", "/agents/"),
)
"""Where a reader who is lost can go; those that the table does not know are left out."""
_NAME = "\ue000"
"""Stands for the title while a shell is written: no template escapes it."""
Near = Iterable[tuple[str, str]]
"""(path or URL, title) of what a reader may have meant."""


def recovery_templates(desk: RenderContext) -> dict[str, bytes]:
    """The recovery documents before anything has gone wrong, by name (``404.html``, ``404.md``)."""
    ways = [way for way in WAYS if desk.table.match(way.href)]
    items = tuple(Item("", href=way.href, title=way.text) for way in ways)
    page = Page(
        "/404/",
        _NAME,
        "",
        (Items("ways", "Where to go from here", items),),
        template="recovery",
        indexed=False,
    )
    markdown = "\n".join(_markdown_shell(desk, ways))
    return {
        SHELLS["html"]: html.write(page, desk).replace(_NAME.encode(), TITLE),
        SHELLS["markdown"]: markdown.encode(),
    }


def _markdown_shell(desk: RenderContext, ways: Iterable[Link]) -> Iterator[str]:
    yield from (f"# {TITLE.decode()}", "", PROBLEM.decode(), "", "## Where to go from here", "")
    yield from (f"- {link(way, desk.url)}" for way in ways)
    yield ""


def fill(shell: bytes, form: str, title: str, detail: str, near: Near) -> bytes:
    """The shell with its marks replaced; ``form`` is ``html`` or ``markdown``, the texts are plain."""
    write = _html if form == "html" else _markdown
    name, told = write(title, detail, near)
    return shell.replace(TITLE, name.encode()).replace(PROBLEM, told.encode())


def _html(title: str, detail: str, near: Near) -> tuple[str, str]:
    items = "".join(f'<li><a href="{escape(quote(path, safe=PATH_SAFE))}" dir="auto">{escape(name)}</a></li>' for path, name in near)
    return escape(title), f"<p>{escape(detail)}</p>" + (f"<ul>{items}</ul>" if items else "")


def _markdown(title: str, detail: str, near: Near) -> tuple[str, str]:
    items = "".join(f"- [{_plain(name)}]({quote(path, safe=PATH_SAFE)})\n" for path, name in near)
    return title, _plain(detail) + (f"\n\n{items}".rstrip() if items else "")


def _plain(text: str) -> str:
    """Text that Markdown reads as text."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>" else char for char in text)
