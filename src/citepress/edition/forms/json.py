"""The JSON form: the page's typed document, in public JSON."""

from functools import partial

from citepress.base.canonical import json_bytes
from citepress.base.ids import twin
from citepress.base.media import JSON
from citepress.contract.form import Form
from citepress.contract.page import Page
from citepress.edition.forms.absolute import with_whole_links
from citepress.edition.render_context import RenderContext


def write(page: Page, context: RenderContext) -> bytes:
    """The page's data as it is published."""
    return json_bytes(page.data if page.data is None else with_whole_links(page.data, context, page.path))


FORM = Form("json", "JSON", JSON, partial(twin, suffix=".json"), write, needs_data=True)
