"""What a comparison of two revisions calls what changed: as the page of the record does, not as its file does."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import lxml.html

from support.archive import OWN
from support.folder import SITE, markdown, topic
from support.git_folder import Commit, at, repository
from support.running_server import serving

USUAL = {"title": "A title", "summary": "What it says.", "date": "2026-05-01"}
CHANGED: Mapping[str, tuple[Mapping[str, Any], list[str]]] = {
    "deltas": (
        {"occurred_at": "2026-01-02", "buildability_class": "not_buildable", "license": "CC0-1.0", "doi": "10.5555/x"},
        ["Licence", "DOI", "What changed"],
    ),
    "graveyard": ({"cause_of_death": "Cost.", "lessons": ["Spend."]}, ["Life and end", "Lessons"]),
    "shifts": ({"from_state": "C", "drivers": ["Fear."]}, ["What shifted", "Drivers"]),
    "systems": ({"vendor": "Another", "limits": ["It stops."]}, ["Dossier", "Limits"]),
    "forecasts": (
        {"probability": 0.6, "resolution_criteria": "Snow falls."},
        ["Probability", "Resolution criteria"],
    ),
}
"""By collection: the members that a second revision changes, and the parts of the page that show them."""


def test_what_differs_is_named_as_on_the_page_and_not_as_in_the_file(tmp_path: Path) -> None:
    def record(kind: str, changes: Mapping[str, Any]) -> dict[str, str]:
        return {f"content/{kind}/x.md": markdown({**USUAL, **OWN[kind], **changes})}

    first, second = {"site.toml": SITE, "content/topics/one.md": topic()}, dict[str, str]()
    for kind, (changes, _) in CHANGED.items():
        first |= record(kind, {})
        second |= record(kind, changes)
    archive = repository(tmp_path / "archive", [Commit(at(0), first), Commit(at(20), second)])
    with serving(archive, tmp_path / "state") as server:
        for kind, (changes, parts) in CHANGED.items():
            address = f"/{kind}/x/@1..2"
            page = lxml.html.fromstring(server.ask(f"{address}/").text)
            assert [heading.text for heading in page.xpath("//main//section/h2")] == ["Compared", *parts], kind
            (differs,) = page.xpath("//dt[text()='What differs']/following-sibling::dd[1]")
            assert differs.text_content().strip() == ", ".join(parts), kind
            assert f"- **What differs:** {', '.join(parts)}\n" in server.ask(f"{address}.md").text
            members = [change["member"] for change in server.ask(f"{address}.json").json()["changes"]]
            assert sorted(members) == sorted(changes), "programs read the members of the file"
