"""The route table, over declarations of any sort: no path has two answers."""

import re

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from citepress.base.media import HTML, JSON, MARKDOWN
from citepress.contract.document import PAGE_PARAMETER, SLUG, Document, Output, Pages, Parameter, Section
from citepress.contract.form import Form
from citepress.contract.table import RouteTable, RouteTableError, derive
from citepress_research.pages.graph import SHARD

ANY = Parameter("any", "Anything, slashes too.", r"[a-z0-9]+(?:[/.-]+[a-z0-9]+)*", "home")
PARAMETERS = {parameter.name: parameter for parameter in (SLUG, PAGE_PARAMETER, SHARD, ANY)}
WORDS = ("a", "b", "zz", "page", "000", "7", "x-y")
ENDS = ("", ".json", ".md", ".b.json")
FORMS = (
    Form("html", "HTML", HTML, lambda path: path, lambda _page, _desk: b"", default=True),
    Form(
        "markdown", "Markdown", MARKDOWN, lambda path: (path.rstrip("/") or "/index") + ".md", lambda _page, _desk: b""
    ),
    Form(
        "json",
        "JSON",
        JSON,
        lambda path: (path.rstrip("/") or "/index") + ".json",
        lambda _page, _desk: b"",
        needs_data=True,
    ),
)


# Strategies that are made anew for each draw cost more than what is tested with their values.
ORDERS = st.permutations(sorted(PARAMETERS))
SEGMENTS = st.lists(st.sampled_from(WORDS) | st.none(), min_size=1, max_size=3)
NUMBERS, CHOICES, SUFFIXES, SHAPES = (
    st.integers(1, 6),
    st.booleans(),
    st.sampled_from(ENDS),
    st.sampled_from(("", "Shape")),
)
VALUES = {
    name: st.sampled_from(WORDS) | st.from_regex(parameter.pattern, fullmatch=True)
    for name, parameter in PARAMETERS.items()
}


@st.composite
def templates(draw: st.DrawFn) -> str:
    names = iter(draw(ORDERS))
    return "/" + "/".join(word or f"{{{next(names)}}}" for word in draw(SEGMENTS))


TEMPLATES = templates()


@st.composite
def declarations(draw: st.DrawFn) -> tuple[Document[None] | Pages[None], ...]:
    drawn: list[Document[None] | Pages[None]] = []
    for number in range(draw(NUMBERS)):
        path = draw(TEMPLATES)
        parameters = tuple(PARAMETERS[name] for name in re.findall(r"{(\w+)}", path))
        if draw(CHOICES):
            path += draw(SUFFIXES)
            drawn.append(
                Document(
                    f"d{number}", path, JSON, Section.EXTRAS, "", lambda _desk: [Output(b"")], parameters=parameters
                )
            )
        else:
            shape = draw(SHAPES)
            drawn.append(
                Pages(f"p{number}", path + "/", Section.EXTRAS, "", lambda _desk: [], shape, parameters=parameters)
            )
    return tuple(drawn)


def _derived(declared: tuple[Document[None] | Pages[None], ...]) -> RouteTable | None:
    try:
        return derive(declared, FORMS)
    except RouteTableError:
        return None


@settings(max_examples=300)
@given(declarations(), st.data())
def test_a_path_never_has_two_routes(declared: tuple[Document[None] | Pages[None], ...], data: st.DataObject) -> None:
    table = _derived(declared)
    assume(table is not None)
    for route in table:
        values = {p.name: data.draw(VALUES[p.name]) for p in route.parameters}
        assume(all(re.fullmatch(p.pattern, values[p.name]) for p in route.parameters))
        path = route.fill(values)
        assert [other.name for other in table if other.pattern.fullmatch(path)] == [route.name]


@settings(max_examples=100)
@given(declarations())
def test_the_order_of_declarations_decides_neither_faults_nor_answers(
    declared: tuple[Document[None] | Pages[None], ...],
) -> None:
    table, turned = _derived(declared), _derived(declared[::-1])
    assert (table is None) == (turned is None)
    if table is not None and turned is not None:
        assert {route.name: route.path for route in table} == {route.name: route.path for route in turned}
