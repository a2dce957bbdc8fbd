"""Lists of forecasts: by deadline, each with its probability, and those that resolved with outcome and score."""

import lxml.html
import pytest

from support.folder import forecast
from support.operation_context import operation_context
from support.server_with_actions import Service, small

RECORDS = {
    "forecasts/late": forecast(title="Late", date="2026-05-03", probability=0.2, resolves_at="2027-06-30"),
    "forecasts/soon": forecast(title="Soon", date="2026-05-01", probability=0.6, resolves_at="2027-03-31"),
    "forecasts/scored": forecast(
        title="Scored", probability=0.3, status="resolved_no", resolved_at="2026-05-20", resolves_at="2026-06-01"
    ),
    "forecasts/old": forecast(
        title="Old",
        probability=0.9,
        status="resolved_yes",
        resolved_at="2026-05-10",
        resolves_at="2026-05-15",
        retrospective=True,
    ),
}
OPEN = [("60 % by 31 March 2027", "60.0", "Soon"), ("20 % by 30 June 2027", "20.0", "Late")]
RESOLVED = [
    ("no; we had said 30 %, Brier 0.09", "30.0", "Scored"),
    ("yes; we had said 90 %, not scored", "90.0", "Old"),
]


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Service:
    path = tmp_path_factory.mktemp("forecasts")
    return Service(operation_context(small(path / "content", RECORDS), path / "state", inbox=False), rest=1000)


def listed(page: str) -> dict[str, list[tuple[str, str, str]]]:
    """What a list says of each forecast, how wide its bar is, and its title, by heading."""
    html = lxml.html.fromstring(page)
    return {
        part.find("h2").text_content(): [
            (
                item.find_class("meta")[0].text_content(),
                item.xpath(".//rect[@class='c1']/@width")[0],
                item.find_class("title")[0].text_content(),
            )
            for item in part.xpath(".//li")
        ]
        for part in html.find_class("block cards")
    }


def test_open_forecasts_come_by_deadline_and_resolved_ones_with_outcome_and_score(reading: Service) -> None:
    assert listed(reading.ask("/forecasts/").text) == {"Open, by deadline": OPEN, "Resolved": RESOLVED}


def test_a_list_that_is_narrowed_says_the_same(reading: Service) -> None:
    assert listed(reading.ask("/forecasts/?status=open").text) == {"Open, by deadline": OPEN}
    assert listed(reading.ask("/forecasts/?status=resolved_no").text) == {"Resolved": RESOLVED[:1]}


def test_a_table_has_a_column_for_each(reading: Service) -> None:
    html = lxml.html.fromstring(reading.ask("/forecasts/?view=table").text)
    columns = [cell.text_content() for cell in html.xpath("//th")]
    rows = [[cell.text_content().strip() for cell in row.xpath("td")] for row in html.xpath("//tbody/tr")]
    assert columns == ["Title", "Probability", "Deadline", "Outcome", "Brier score"]
    assert rows == [
        ["Soon", "60 %", "31 March 2027", "open", ""],
        ["Late", "20 %", "30 June 2027", "open", ""],
        ["Scored", "30 %", "1 June 2026", "no", "0.09"],
        ["Old", "90 %", "15 May 2026", "yes", "not scored"],
    ]
    assert len(html.xpath("//td/svg[@class='chance']")) == 4


def test_the_markdown_of_the_list_has_the_same_words(reading: Service) -> None:
    text = reading.ask("/forecasts/", accept="text/markdown").text
    places = [text.index(words) for words in ("60 % by 2027-03-31", "20 % by 2027-06-30", "no; we had said 30 %")]
    assert places == sorted(places)
