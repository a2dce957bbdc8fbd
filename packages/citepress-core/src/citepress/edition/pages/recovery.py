"""Recovery documents: a page of the theme that explains the problem and links to similar pages."""

from collections.abc import Iterable, Iterator
from html import escape
from urllib.parse import quote

from citepress.contract.page import Item, Items, Link, Page
from citepress.edition.forms import html
from citepress.edition.prose.markdown_escape import link
from citepress.edition.render_context import RenderContext
from citepress.edition.served import PATH_SAFE

TITLE_MARK = b"<!--title-->"
"""Placeholder of the problem's title; a template may use each placeholder any number of times."""
PROBLEM = b"<!--problem-->"
"""Placeholder of the explanation and the links."""
RECOVERY_TEMPLATES = {"html": "404.html", "markdown": "404.md"}
"""The template of each form that has one."""
WAYS = (
    Link("Front page", "/"),
    Link("Search the archive", "/search/"),
    Link("All pages (sitemap)", "/sitemap.xml"),
    Link("Guide for agents (llms.txt)", "/llms.txt"),
    Link("How agents use this archive", "/agents/"),
)
"""Links for a lost reader; those without a route are left out."""
_NAME = "\ue000"
"""A character that no template escapes; stands in for the title while a template is rendered."""
Near = Iterable[tuple[str, str]]
"""(path or URL, title) of pages that the reader may have meant."""


def recovery_templates(context: RenderContext) -> dict[str, bytes]:
    """The templates of the recovery documents by name (``404.html``, ``404.md``)."""
    ways = [way for way in WAYS if context.publishes(way.href)]
    items = tuple(Item("", href=way.href, title=way.text) for way in ways)
    page = Page(
        "/404/", _NAME, "", (Items("ways", "Where to go from here", items),), template="recovery", indexed=False
    )
    markdown = "\n".join(_markdown_template(context, ways))
    return {
        RECOVERY_TEMPLATES["html"]: html.write(page, context).replace(_NAME.encode(), TITLE_MARK),
        RECOVERY_TEMPLATES["markdown"]: markdown.encode(),
    }


def _markdown_template(context: RenderContext, ways: Iterable[Link]) -> Iterator[str]:
    yield from (f"# {TITLE_MARK.decode()}", "", PROBLEM.decode(), "", "## Where to go from here", "")
    yield from (f"- {link(way, context.url)}" for way in ways)
    yield ""


def fill(page_template: bytes, form: str, title: str, detail: str, near: Near, lead: str = "") -> bytes:
    """A template with its placeholders filled; ``form`` is ``html`` or ``markdown``, the texts are plain.

    ``lead`` is what stands above the links.
    """
    write = _html if form == "html" else _markdown
    heading, explanation = write(title, detail, tuple(near), lead)
    return page_template.replace(TITLE_MARK, heading.encode()).replace(PROBLEM, explanation.encode())


def _html(title: str, detail: str, near: Near, lead: str) -> tuple[str, str]:
    items = "".join(
        f'<li><a href="{escape(quote(path, safe=PATH_SAFE))}" dir="auto">{escape(name)}</a></li>' for path, name in near
    )
    above = f"<p>{escape(lead)}</p>" if lead else ""
    return escape(title), f"<p>{escape(detail)}</p>" + (f"{above}<ul>{items}</ul>" if items else "")


def _markdown(title: str, detail: str, near: Near, lead: str) -> tuple[str, str]:
    items = "".join(f"- [{_plain(name)}]({quote(path, safe=PATH_SAFE)})\n" for path, name in near)
    above = f"{lead}\n\n" if lead else ""
    return title, _plain(detail) + (f"\n\n{above}{items}".rstrip() if items else "")


def _plain(text: str) -> str:
    """Text that Markdown reads as text."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>" else char for char in text)
