"""Gemtext: a page as its title, its description and links to its other representations."""

from functools import partial

from citepress.base.ids import twin
from citepress.base.media import Media
from citepress.contract.form import Form
from citepress.contract.page import Page
from citepress.edition.render_context import RenderContext


def write(page: Page, desk: RenderContext) -> bytes:
    """The page in the format of the Gemini protocol."""
    return f"# {page.title}\n\n{page.description}\n\n=> {desk.url(page.path)} HTML\n".encode()


FORM = Form("gemtext", "Gemtext", Media("text", "text/gemini; charset=utf-8"), partial(twin, suffix=".gmi"), write)
ALL = (FORM,)
