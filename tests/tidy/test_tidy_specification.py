"""The specification is where docstrings say it is, and its routes are those of the route table."""

import re
from collections.abc import Iterator

from citepress.app.registry import table
from citepress.contract.route import Route
from citepress.kinds import ALL as KINDS
from spec.requirements import ALL as REQUIREMENTS
from support.tree import ROOT, SOURCES, name_of, sources

TEXT = (ROOT / "docs/reference/specification.md").read_text("utf-8")
HEADING = re.compile(r"^#{2,3} (.+)\n((?:(?!#{2,3} ).*\n?)*)", re.MULTILINE)
SECTIONS = dict(HEADING.findall(TEXT))
CITED = re.compile(r"\(specification\b[^)]*\)")
NAMED = re.compile(r'^\(specification, "(?P<section>[^"]+)"(?: (?:rule )?(?P<number>\d+))?(?:[;:].*)?\)$')
ROW = re.compile(
    r"^\| (?:(POST) )?`(/[^`]*)` \| (?:(\w+|its \w+)(?: \(([\w/+-]+)\))?|([\w-]+/[\w+-]+)) \|$", re.MULTILINE
)
"""Method, path, schema and its type, or a type alone."""
KIND = re.compile(r"^\| `([a-z-]+)` \| (\w+) \| (\w+) \|$", re.MULTILINE)


def _citations() -> Iterator[tuple[str, str]]:
    for path in sources(*SOURCES):
        text = re.sub(r"\s+", " ", path.read_text("utf-8"))
        for citation in CITED.findall(text):
            yield name_of(path), citation


def _stated() -> set[tuple[str, str, str, str]]:
    """The rows of the page, those of all collections written out, as (method, path, type, schema)."""
    rows = set()
    for method, path, schema, special, bare in ROW.findall(TEXT):
        media = bare or special or "application/json"
        for kind in KINDS if "{collection}" in path else KINDS[:1]:
            name = {"its index": kind.index, "its record": kind.schema}.get(schema, schema)
            rows.add((method or "GET", path.replace("{collection}", kind.name), media, name))
    return rows


def _derived(route: Route) -> tuple[str, str, str, str]:
    return route.method, route.path, route.media.type, route.shape


def test_every_citation_leads_to_a_section_and_a_rule_of_the_specification() -> None:
    citations = list(_citations())
    broken = []
    for path, citation in citations:
        named = NAMED.fullmatch(citation)
        section = SECTIONS.get(named["section"]) if named else None
        number = named["number"] if named else None
        if section is None or (number and not re.search(rf"^{number}\. ", section, re.MULTILINE)):
            broken.append(f"{path}: {citation}")

    assert len(citations) > 20
    assert broken == []


def test_every_requirement_belongs_to_a_section_of_the_specification_or_to_a_named_design() -> None:
    sections = {entry.section for entry in REQUIREMENTS if "design" not in entry.section}

    assert sections - set(SECTIONS) == set()


def test_every_route_of_the_specification_is_in_the_route_table() -> None:
    assert _stated() - {_derived(route) for route in table()} == set()


def test_every_promised_route_is_in_the_specification() -> None:
    promised = {_derived(route) for route in table() if route.promised}

    assert promised - _stated() == set()


def test_the_specification_names_the_schemas_of_every_promised_kind() -> None:
    rows = set(KIND.findall(TEXT))

    assert rows <= {(kind.name, kind.schema, kind.index) for kind in KINDS}
    assert {kind.name for kind in KINDS if kind.promised_index} <= {name for name, _, _ in rows}
