"""The forms in which any page is written, the default first, then those of its citation."""

from citepress.contract.form import Form, Twin
from citepress.edition import citations
from citepress.edition.forms import html, json, markdown
from citepress.extension import joined


def _claims(form: Twin) -> tuple[str, ...]:
    return form.name, form.media.type


PAGES = joined("forms", Form, (html.FORM, markdown.FORM, json.FORM), _claims)
ALL: tuple[Twin, ...] = (*PAGES, *citations.ALL)
