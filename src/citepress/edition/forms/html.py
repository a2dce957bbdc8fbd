"""The HTML form: Jinja2 templates over the neutral page, compiled once for each desk."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from citepress.base.media import HTML
from citepress.contract.form import Form
from citepress.contract.page import Page
from citepress.edition.forms.environment import PageTemplates
from citepress.edition.forms.layout import Layout, head, page_layout
from citepress.edition.forms.prose_renderer import ProseRenderer, apart, body_anchors
from citepress.edition.forms.template_filters import TemplateFilters
from citepress.edition.render_context import RenderContext

NAME = "html"


@dataclass(frozen=True, slots=True)
class _HtmlRenderer:
    """What is prepared once for a desk."""

    templates: PageTemplates
    frame: Layout
    pen: TemplateFilters

    def write(self, page: Page, template: str) -> bytes:
        body = body_anchors(page)
        page = apart(page, body)
        values = {"page": page, "head": head(page, self.frame, NAME), "paper": ProseRenderer(page, self.pen, body)}
        return self.templates.render(template, values).encode()


_presses: WeakKeyDictionary[RenderContext, _HtmlRenderer] = WeakKeyDictionary()


def _press(desk: RenderContext) -> _HtmlRenderer:
    press = _presses.get(desk)
    if press is None:
        around = page_layout(desk)
        pen = TemplateFilters(around.prefix, around.base_url, desk.archive.images)
        press = _presses[desk] = _HtmlRenderer(PageTemplates(desk.archive.templates, pen.filters, site=around), around, pen)
    return press


def write(page: Page, desk: RenderContext) -> bytes:
    """The page as HTML. Raises ``Faults`` (CP034) where a template of the archive fails."""
    return _press(desk).write(page, page.template)


FORM = Form(NAME, "HTML", HTML, str, write, default=True)
