"""Rows of a dataset under a query: the same ones in HTML, Markdown and JSON, counted, a page at a time."""

import json
import re
from collections import Counter
from typing import Any
from urllib.parse import urlencode

import pytest

from citepress.edition.data.column_facets import MAX_COLUMN_VALUES
from citepress.edition.data.dataset_rows import PAGE_ROWS
from support.folder import assembled, folder
from support.operation_context import operation_context
from support.server_with_actions import Service

SITE = "https://archive.test"
COLUMNS = {"id": "integer", "city": "string", "open": "boolean", "size": "number", "note": "string"}
CITIES = ('A "b", c', "D\ne", "F")


def _row(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "city": CITIES[number % 3] if number % 7 else None,
        "open": number % 2 == 0,
        "size": number / 2,
        "note": f"note {number}",
    }


TABLE = [_row(number) for number in range(400)]


def _csv() -> str:
    lines = [",".join(COLUMNS)]
    for row in TABLE:
        city = '"{}"'.format(row["city"].replace('"', '""')) if row["city"] else ""
        lines.append(f"{row['id']},{city},{str(row['open']).lower()},{row['size']},{row['note']}")
    return "\r\n".join(lines) + "\r\n"


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Service:
    path = tmp_path_factory.mktemp("service")
    cells = {name: {"type": [sort, "null"]} for name, sort in COLUMNS.items()}
    files = {
        "datasets/tools/README.md": "---\ntitle: Tools\nsummary: Tools.\ndate: 2026-01-01\n---\nText.\n",
        "datasets/tools/schema.json": json.dumps(
            {"type": "object", "properties": cells, "x-citepress-primary-key": "id"}
        ),
        "datasets/tools/v1.csv": _csv(),
    }
    archive = assembled(folder(path / "content", files))
    return Service(operation_context(archive, path / "state", inbox=False), rest=1000)


def test_a_description_names_the_columns_of_few_values_with_counts_that_hold(reading: Service) -> None:
    facets = reading.ask("/datasets/tools.json").json()["facets"]
    assert [facet["column"] for facet in facets] == ["city", "open"]
    for facet in facets:
        assert len(facet["values"]) <= MAX_COLUMN_VALUES
        for value in facet["values"]:
            path = value["url"].removeprefix(SITE)
            assert reading.ask(path).json()["selection"]["count"] == value["count"], path
    cities = Counter(row["city"] for row in TABLE if row["city"])
    assert {value["value"]: value["count"] for value in facets[0]["values"]} == dict(cities)


@pytest.mark.parametrize("conditions", [{"open": "true"}, {"city": CITIES[1]}, {"city": CITIES[0], "open": "false"}])
def test_every_form_has_the_same_rows_and_next_leads_through_all(reading: Service, conditions: dict[str, str]) -> None:
    wanted = [row for row in TABLE if all(_written(row[name]) == value for name, value in conditions.items())]
    rows: list[dict[str, Any]] = []
    path = _path("/datasets/tools.json", conditions)
    while path:
        answer = reading.ask(path)
        selection = answer.json()["selection"]
        assert selection["count"] == len(wanted)
        assert (f'<{selection["next"]}>; rel="next"' in answer.fields["link"]) == bool(selection["next"])
        query = path.partition("?")[2]
        ids = [str(row["id"]) for row in selection["rows"]]
        page = reading.ask(f"/datasets/tools/?{query}")
        assert re.findall(r'<tr><td class="s">(\d+)</td>', page.text) == ids
        assert re.findall(r"^\| (\d+) \|", reading.ask(f"/datasets/tools.md?{query}").text, re.MULTILINE) == ids
        assert reading.ask(f"/datasets/tools/?{query}", accept="application/json").json()["selection"] == selection
        rows += selection["rows"]
        path = (selection["next"] or "").removeprefix(SITE)
    assert rows == wanted
    assert len(rows) > PAGE_ROWS or len(conditions) > 1


def test_links_of_the_page_count_the_rows_that_they_lead_to(reading: Service) -> None:
    for start in ("/datasets/tools/", "/datasets/tools/?open=true"):
        section = re.search(r'id="facets".*?</section>', reading.ask(start).text, re.DOTALL)
        assert section
        links = re.findall(r'href="(/datasets/tools/\?[^"]*)"[^>]*>[^<]*\((\d+)\)', section[0])
        assert links
        for href, count in links:
            assert f"{count} of 400 rows" in reading.ask(href.replace("&amp;", "&")).text
    assert 'id="facets"' not in reading.ask(_path("/datasets/tools/", {"open": "true", "city": CITIES[2]})).text


def test_a_value_that_no_row_has_is_refused_and_other_members_change_nothing(reading: Service) -> None:
    refused = reading.ask("/datasets/tools.json?open=perhaps")
    assert refused.status == 400
    (fault,) = refused.json()["errors"]
    assert fault["parameter"] == "open"
    assert reading.ask("/datasets/tools/?open=true&open=false").status == 400
    for others in ("note=note+1&utm_source=x", "open=", "open=&city=&bogus=1"):
        assert reading.ask(f"/datasets/tools/?{others}").body == reading.ask("/datasets/tools/").body, others
    narrowed = reading.ask("/datasets/tools.json?open=true&city=").json()["selection"]
    assert narrowed["conditions"] == {"open": "true"}
    last = reading.ask("/datasets/tools.json?open=true&page=999").json()["selection"]
    assert (last["page"], last["next"]) == (last["page_count"], None)


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _path(path: str, conditions: dict[str, str]) -> str:
    return f"{path}?{urlencode(conditions)}"
