"""The JSON form: the page's typed document, in public JSON."""

from functools import partial

from citepress.base.canonical import json_bytes
from citepress.base.ids import twin
from citepress.base.media import JSON
from citepress.contract.form import Form
from citepress.contract.page import Page
from citepress.edition.prose.absolute import as_published
from citepress.edition.render_context import RenderContext


def write(page: Page, context: RenderContext) -> bytes:
    """The page's data as it is published."""
    if page.data is None:
        return json_bytes(None)
    return json_bytes(as_published(page.data, context, page.path))


FORM = Form("json", "JSON", JSON, partial(twin, suffix=".json"), write, needs_data=True)
