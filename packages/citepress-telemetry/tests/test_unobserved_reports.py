"""The reports of a service that has seen nothing: valid, and honest about it."""

from collections.abc import Iterator
from typing import Any

import lxml.html
import pytest
from pydantic import ValidationError

from citepress.base.canonical import json_bytes, plain
from citepress_telemetry.contract import unobserved
from citepress_telemetry.contract.head import ReportHead
from citepress_telemetry.contract.page import CHARTS
from citepress_telemetry.contract.words import CAVEATS, CLASS_DESCRIPTIONS, VERIFICATION, Purpose
from support.archive import DAY, entry
from support.documents import closed, faults, leaves, whole

BASE = "https://archive.test"
REPORTS: tuple[ReportHead, ...] = (
    unobserved.consumption(BASE),
    unobserved.journeys(BASE),
    unobserved.readership(
        BASE, "posts/x", "posts", DAY, f"{BASE}/posts/x/", {"html": f"{BASE}/posts/x/", "json": f"{BASE}/posts/x.json"}
    ),
    unobserved.snapshot(BASE),
    unobserved.history(BASE),
)
each = pytest.mark.parametrize("report", REPORTS, ids=lambda report: type(report).__name__)
CONSTANT = {"schema_version", "rate", "min_count"}
"""Numbers that tell of the method, not of what was seen."""


def numbers(document: Any, name: str = "") -> Iterator[tuple[str, object]]:
    """Every number of a document with the name of its member."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield from numbers(value, key)
    elif isinstance(document, list):
        for value in document:
            yield from numbers(value, name)
    elif isinstance(document, int | float) and not isinstance(document, bool):
        yield name, document


@each
def test_an_unobserved_report_says_so_and_why(report: ReportHead) -> None:
    document = plain(report)
    assert document["status"] == "not_observed"
    assert document["generated_at"] is None
    assert document["as_of"] is None
    assert document["missing"] == [{"pointer": "", "reason": unobserved.REASON}]
    assert document["methodology_url"] == f"{BASE}/machine-consumption/#method"


@each
def test_an_unobserved_count_is_null_and_never_zero(report: ReportHead) -> None:
    assert {name for name, _ in numbers(plain(report))} == CONSTANT


@each
def test_every_caveat_stands_in_every_report(report: ReportHead) -> None:
    assert {caveat.code: caveat.text for caveat in report.caveats} == CAVEATS


@each
def test_an_empty_report_fits_its_type_with_no_member_more(report: ReportHead) -> None:
    assert faults(closed(type(report)), plain(report)) == []


@each
def test_the_same_base_gives_the_same_bytes(report: ReportHead) -> None:
    again = type(report).model_validate(plain(report))
    assert json_bytes(again) == json_bytes(report)


def test_the_five_classes_are_always_present() -> None:
    for report in (unobserved.consumption(BASE), unobserved.snapshot(BASE)):
        assert [row["class"] for row in plain(report)["classes"]] == list(CLASS_DESCRIPTIONS)
        assert all(value is None for row in plain(report)["classes"] for name, value in row.items() if name != "class")


def test_a_report_without_the_later_members_is_still_version_one() -> None:
    schema = closed(type(unobserved.consumption(BASE)))
    document = plain(unobserved.consumption(BASE))
    del document["schema_revision"], document["gateway"]
    assert faults(schema, document) == []


def test_an_observed_report_holds_counts_and_refuses_negative_ones() -> None:
    document = plain(unobserved.journeys(BASE))
    family = {
        "family": "GPTBot",
        "operator": "OpenAI",
        "purpose": "training",
        "operation": "direct",
        "class": "crawler",
        "requests": 3,
        "successful_requests": 2,
        "status_classes": {"2xx": 2, "3xx": 0, "4xx": 1, "5xx": 0},
        "verification": dict.fromkeys(VERIFICATION, 0),
        "representations": dict.fromkeys(("html", "json", "markdown", "text", "xml", "mcp", "other"), 0),
        "unique_canonical_materials": 1,
        "catalog_coverage": {"read": 1, "of": 4, "share": 0.25},
        "sessions": 1,
        "robots_only_sessions": 0,
        "cut_sessions": 0,
        "family_bursts": 1,
        "session_depth": {
            "mean": 3.0,
            "p50": 3,
            "p90": 3,
            "max": 3,
            "bounds": "bucket upper bound",
            "histogram": [{"le": None, "sessions": 0}],
        },
        "entrypoints": [{"route": "/robots.txt", "sessions": 1, "share": 1.0}],
        "terminal_routes": [],
        "transitions": [{"from": "/robots.txt", "to": "/posts/{slug}/", "count": 1, "share": 1.0}],
        "material_transitions": {"approximate": True, "max_undercount": 0, "items": []},
    }
    document["windows"]["24h"]["families"] = [family]
    model = type(unobserved.journeys(BASE))
    assert faults(closed(model), plain(model.model_validate(document))) == []
    family["requests"] = -1
    with pytest.raises(ValidationError):
        model.model_validate(document)


def test_a_page_tells_only_the_forms_that_it_has() -> None:
    report = unobserved.readership(BASE, "home", "pages", None, f"{BASE}/", {"html": f"{BASE}/"})
    assert plain(report)["representations"] == {"html": f"{BASE}/", "markdown": None, "json": None}
    assert plain(report)["published_at"] is None


def test_purposes_are_a_closed_list() -> None:
    document = plain(unobserved.consumption(BASE)) | {
        "purposes": [{"purpose": "world domination", "requests": 1, "share": 1.0}]
    }
    with pytest.raises(ValidationError, match="purpose"):
        type(unobserved.consumption(BASE)).model_validate(document)
    assert "unknown" in Purpose.__args__


def test_the_page_without_a_count_lists_what_will_be_there_once() -> None:
    page = leaves(whole(entry("posts/one")))["/machine-consumption/"].body.decode()
    html = lxml.html.fromstring(page)
    assert [item.find("strong").text for item in html.get_element_by_id("expected").xpath(".//li")] == [
        chart.title for chart in CHARTS
    ]
    assert "Not observed yet" not in page
    assert all(html.get_element_by_id(chart.anchor) is not None for chart in CHARTS), "links to a part still lead to it"
