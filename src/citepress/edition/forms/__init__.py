"""The forms in which any page is written, the default first."""

from citepress.contract.form import Form
from citepress.edition.forms import html, json, markdown

ALL: tuple[Form, ...] = (html.FORM, markdown.FORM, json.FORM)
