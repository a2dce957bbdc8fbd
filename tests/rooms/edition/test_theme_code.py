"""The theme's templates compile to shorter code that writes what Jinja's own writes."""

import pytest
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from citepress.contract.page import Link
from citepress.edition.forms.theme_code import ThemeEnvironment, escaped

TEMPLATE = """
{%- macro item(link, level=2) %}<li{% if link.href %} id="{{ link.href }}"{% endif %}>{{ link.text }}{{ level }}</li>
{%- endmacro %}
{%- block list %}{% for link in links %}{{ item(link) }}{{ item(link, level=3) }}
{%- if loop.changed(link.text) %}{{ loop.index }}{% endif %}{{ link.text.upper() }}{{ marked }}{{ links|length }}
{%- endfor %}{% endblock %}"""


@pytest.mark.parametrize("text", ["plain", "a < b", "a > b", "R&D", 'say "so"', "it's", "", "&amp;", "Zoë"])
def test_texts_are_escaped_as_by_jinja(text: str) -> None:
    class Words(str):
        """A text of a type of its own."""

        __slots__ = ()

    written = Environment(autoescape=True).from_string("{{ text }}").render(text=text)
    assert escaped(text) == escaped(Words(text)) == written
    assert escaped(Markup(text)) == text  # noqa: S704  (nothing is served)


@pytest.mark.parametrize("value", [None, 3, 0.5, True, ("<",)])
def test_other_values_are_escaped_as_by_jinja(value: object) -> None:
    assert escaped(value) == Environment(autoescape=True).from_string("{{ value }}").render(value=value)


def test_a_template_writes_what_it_writes_in_an_environment_of_jinja() -> None:
    values = {"links": (Link("R&D", "/a'b"), Link("R&D", ""), Link("plain", "/c")), "marked": Markup("<b>&amp;</b>")}
    expected, written = (
        environment(autoescape=True, undefined=StrictUndefined).from_string(TEMPLATE).render(values)
        for environment in (Environment, ThemeEnvironment)
    )
    assert "&#39;" in written
    assert written == expected
