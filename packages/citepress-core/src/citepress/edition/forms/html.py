"""The HTML form: Jinja2 templates over the neutral page, compiled once for each context."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from citepress.base.media import HTML
from citepress.contract.form import Form
from citepress.contract.page import Page
from citepress.edition.forms.folding import folds
from citepress.edition.forms.layout import Layout, head, page_layout
from citepress.edition.forms.template_filters import TemplateFilters
from citepress.edition.forms.templates import PageTemplates
from citepress.edition.prose.renderer import ProseRenderer, apart, body_anchors
from citepress.edition.render_context import RenderContext

HTML_FORM = "html"


@dataclass(frozen=True, slots=True)
class _HtmlRenderer:
    """What is prepared once for a context."""

    templates: PageTemplates
    layout: Layout
    filters: TemplateFilters

    def write(self, page: Page, template: str) -> bytes:
        body = body_anchors(page)
        page = apart(page, body)
        values = {
            "page": page,
            "head": head(page, self.layout, HTML_FORM),
            "renderer": ProseRenderer(page, self.filters, body),
            "folds": folds(page),
        }
        return self.templates.render(template, values).encode()


_renderers: WeakKeyDictionary[RenderContext, _HtmlRenderer] = WeakKeyDictionary()


def _renderer(context: RenderContext) -> _HtmlRenderer:
    renderer = _renderers.get(context)
    if renderer is None:
        layout = page_layout(context)
        filters = TemplateFilters(layout.prefix, layout.base_url, context.archive.images, context.citations)
        renderer = _renderers[context] = _HtmlRenderer(
            PageTemplates(context.archive.templates, filters.by_name, site=layout), layout, filters
        )
    return renderer


def write(page: Page, context: RenderContext) -> bytes:
    """The page as HTML. Raises ``Faults`` (CP034) where a template of the archive fails."""
    return _renderer(context).write(page, page.template)


FORM = Form(HTML_FORM, "HTML", HTML, str, write, default=True)
