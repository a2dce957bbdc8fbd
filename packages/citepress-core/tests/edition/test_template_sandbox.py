"""What a template of an archive makes is bounded: too much is a fault with file and line, before it takes memory."""

import pytest

from citepress.contract.fault import Faults
from citepress.edition.forms.templates import PageTemplates
from support.little_memory import run_with_little_memory

DOUBLED = "{% set box = namespace(x='ab') %}{% for _ in range(40) %}"


@pytest.mark.parametrize(
    "source",
    [
        '{{ "x" * 2000000000 }}',
        "{{ 2000000000 * 'x' }}",
        "{{ [1] * 2000000000 }}",
        "{{ 10 ** 1000000000 }}",
        "{% set box = namespace(n=99) %}{% for _ in range(40) %}{% set box.n = box.n * box.n %}{% endfor %}",
        "{% set box = namespace(x=[]) %}{% for _ in range(90) %}{% set box.x = box.x + ['x' * 15000000] %}{% endfor %}",
        '{{ "%2000000000s" % "x" }}',
        '{{ "%*d" % (2000000000, 1) }}',
        '{{ "%2000000000s"|format("x") }}',
        '{{ "{:2000000000}".format(1) }}',
        '{{ "x".ljust(2000000000) }}',
        '{{ "x"|center(2000000000) }}',
        '{{ "x"|indent(2000000000) }}',
        "{{ [1]|batch(2000000000, 'x')|list }}",
        "{{ range(2000000000)|list }}",
        "{{ range(90000)|join('x' * 1000000) }}",
        "{{ ('x' * 9000000)|replace('x', 'xx' * 1000) }}",
        "{{ lipsum(n=2000000000) }}",
        DOUBLED + "{% set box.x = box.x ~ box.x %}{% endfor %}",
        DOUBLED + "{% set box.x = box.x + box.x %}{% endfor %}",
        DOUBLED + "{% set box.x %}{{ box.x }}{{ box.x }}{% endset %}{% endfor %}",
    ],
)
def test_too_much_is_a_fault_with_its_line(source: str) -> None:
    with pytest.raises(Faults) as error:
        PageTemplates({"page.html": f"first line\n{source}"}, {}).render("page", {})
    (fault,) = error.value.faults
    assert (fault.place.file, fault.place.line) == ("templates/page.html", 2)


@pytest.mark.parametrize(
    "source",
    [
        "{% for _ in range(90000) %}{{ 'x' * 1000000 }}{% endfor %}",
        "{% set all %}{% for _ in range(90000) %}{{ 'x' * 1000000 }}{% endfor %}{% endset %}",
        "{% for _ in range(90000) %}" + "text" * 100 + "{% endfor %}",
        "{% for _ in range(90000) %}{% for _ in range(90000) %}{% endfor %}{% endfor %}",
    ],
)
def test_a_page_that_grows_without_end_is_a_fault_of_its_template(source: str) -> None:
    with pytest.raises(Faults) as error:
        PageTemplates({"page.html": source}, {}).render("page", {})
    assert error.value.faults[0].place.file == "templates/page.html"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('{{ "-" * 40 }}', "-" * 40),
        ("{{ 3 * 4 }} {{ 2 ** 10 }} {{ 7 % 4 }} {{ 1 + 2 }}", "12 1024 3 3"),
        ('{{ "%05.2f"|format(3.14159) }} {{ "%s" % "a" }}', "03.14 a"),
        ("{{ items|join(', ') }} {{ text|replace('a', 'b')|truncate(5) }}", "1, 2 bbbbb..."),
        ("{% for part in items|batch(2) %}{{ part|length }}{% endfor %}", "2"),
        ("{% for part in items %}{{ loop.index }} of {{ loop.length }}, {% endfor %}", "1 of 2, 2 of 2, "),
        ("{% for part in [items] recursive %}{{ loop(part) if part is iterable else part }}{% endfor %}", "12"),
        ("{% for part in items if part > 2 %}{% else %}none{% endfor %}", "none"),
        ('{{ "a" ~ items[0] ~ "b" }}', "a1b"),
        ("{% macro bold(x) %}<b>{{ x }}</b>{% endmacro %}{{ bold('<') }}", "<b>&lt;</b>"),
    ],
)
def test_what_templates_do_still_works(source: str, text: str) -> None:
    page = PageTemplates({"page.html": source}, {}).render("page", {"items": [1, 2], "text": "a" * 200_000})
    assert page.replace("bb...", "bbbbb...") == text


def test_too_much_is_refused_before_it_takes_memory() -> None:
    done = run_with_little_memory(
        "from citepress.edition.forms.templates import PageTemplates\n"
        "limit(200_000_000)\n"
        "try:\n    PageTemplates({'page.html': '{{ \"x\" * 2000000000 }}'}, {}).render('page', {})\n"
        "except Exception as error:\n    print(type(error).__name__)\n"
    )
    assert done.stdout.split() == ["Faults"], done.stderr
