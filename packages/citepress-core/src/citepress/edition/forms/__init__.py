"""The forms in which any page is written, the default first, then those of its citation."""

from citepress.contract.form import Twin
from citepress.edition import citations
from citepress.edition.forms import html, json, markdown

ALL: tuple[Twin, ...] = (html.FORM, markdown.FORM, json.FORM, *citations.ALL)
