"""The theme's templates compile to shorter code that writes what Jinja's own writes."""

import pytest
from jinja2 import DictLoader, Environment, StrictUndefined, UndefinedError
from markupsafe import Markup

from citepress.contract.page import Link
from citepress.edition.forms.theme_code import ThemeEnvironment, escaped

TEMPLATE = """
{%- macro item(link, level=2) %}<li{% if link.href %} id="{{ link.href }}"{% endif %}>{{ link.text }}{{ level }}</li>
{%- endmacro %}
{%- block list %}{% for link in links %}{{ item(link) }}{{ item(link, level=3) }}
{%- if loop.changed(link.text) %}{{ loop.index }}{% endif %}{{ link.text.upper() }}{{ marked }}{{ links|length }}
{%- endfor %}{{ links[0].href }}{{ [links[1]][0].text }}{{ named["a&b"] }}{{ links[0].text|as_words }}
{%- endblock %}"""


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


def _environment(sort: type[Environment], **templates: str) -> Environment:
    environment = sort(autoescape=True, undefined=StrictUndefined, loader=DictLoader(templates))
    environment.filters["as_words"] = str.upper
    environment.filters["as_html"] = _bold
    return environment


def _bold(text: str) -> Markup:
    return Markup("<b>{}</b>").format(text)


def test_a_template_writes_what_it_writes_in_an_environment_of_jinja() -> None:
    values = {"links": (Link("R&D", "/a'b"), Link("R&D", ""), Link("plain", "/c")), "marked": Markup("<b>&amp;</b>")}
    values["named"] = {"a&b": "c<d"}
    expected, written = (
        _environment(sort).from_string(TEMPLATE).render(values) for sort in (Environment, ThemeEnvironment)
    )
    assert "&#39;" in written
    assert written == expected


@pytest.mark.parametrize("sort", [Environment, ThemeEnvironment])
def test_macros_are_found_in_another_template_by_their_names(sort: type[Environment]) -> None:
    parts = {"parts.html": "{% macro items(name, level=2) %}<i>{{ name }}</i>{{ level }}{% endmacro %}"}
    template = """{% import "parts.html" as parts %}{{ parts[kind](text, level=3) }}{{ parts.items(text) }}"""
    written = _environment(sort, **parts).from_string(template).render(kind="items", text="R&D")
    assert written == "<i>R&amp;D</i>3<i>R&amp;D</i>2"


@pytest.mark.parametrize("sort", [Environment, ThemeEnvironment])
def test_what_a_filter_gives_is_escaped_unless_it_is_html(sort: type[Environment]) -> None:
    written = _environment(sort).from_string("{{ text|as_words }} {{ text|as_html }}").render(text="a<b")
    assert written == "A&lt;B <b>a&lt;b</b>"


@pytest.mark.parametrize("sort", [Environment, ThemeEnvironment])
def test_a_macro_takes_no_parameter_that_it_does_not_name(sort: type[Environment]) -> None:
    macro = "{% macro item(name) %}{{ name }}{% endmacro %}"
    with pytest.raises(TypeError, match="levle"):
        _environment(sort).from_string(macro + "{{ item(1, levle=2) }}").render()
    with pytest.raises(UndefinedError, match="'name' was not provided"):
        _environment(sort).from_string(macro + "{{ item() }}").render()
    with pytest.raises(TypeError):
        _environment(sort).from_string(macro + "{{ item(1, 2) }}").render()
