"""The HTML form: Jinja2 templates over the neutral page, compiled once for each desk."""

from dataclasses import dataclass
from weakref import WeakKeyDictionary

from citepress.base.media import HTML
from citepress.contract.form import Form
from citepress.contract.page import Page
from citepress.edition.desk import Desk
from citepress.edition.forms.environment import Templates
from citepress.edition.forms.frame import Frame, frame, head
from citepress.edition.forms.paper import Paper, apart, body_anchors
from citepress.edition.forms.pen import Pen

NAME = "html"


@dataclass(frozen=True, slots=True)
class _Press:
    """What is prepared once for a desk."""

    templates: Templates
    frame: Frame
    pen: Pen

    def write(self, page: Page, template: str) -> bytes:
        body = body_anchors(page)
        page = apart(page, body)
        values = {"page": page, "head": head(page, self.frame, NAME), "paper": Paper(page, self.pen, body)}
        return self.templates.render(template, values).encode()


_presses: WeakKeyDictionary[Desk, _Press] = WeakKeyDictionary()


def _press(desk: Desk) -> _Press:
    press = _presses.get(desk)
    if press is None:
        around = frame(desk)
        pen = Pen(around.prefix, around.base_url, desk.archive.images)
        press = _presses[desk] = _Press(Templates(desk.archive.templates, pen.filters, site=around), around, pen)
    return press


def write(page: Page, desk: Desk) -> bytes:
    """The page as HTML. Raises ``Faults`` (CP034) where a template of the archive fails."""
    return _press(desk).write(page, page.template)


FORM = Form(NAME, "HTML", HTML, str, write, default=True)
