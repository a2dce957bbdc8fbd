"""The page of an origin of sources names the publisher of a source only where it is another."""

from pathlib import Path

from support.folder import post
from support.operation_context import operation_context
from support.server_with_actions import Service, small


def test_an_origin_does_not_name_itself_beside_each_source(tmp_path: Path) -> None:
    sources = [
        {"url": "https://press.example/1", "title": "First", "publisher": "press.example"},
        {"url": "https://press.example/2", "title": "Second", "publisher": "press.example"},
        {"url": "https://press.example/3", "title": "Third", "publisher": "Another House"},
    ]
    archive = small(tmp_path / "content", {"posts/x": post(sources=sources)})
    service = Service(operation_context(archive, tmp_path / "state", inbox=False))
    origin = service.ask("/posts/x.json").json()["sources"][0]["origin"]
    page = service.ask(f"/sources/{origin}/").text
    assert "<h1>press.example</h1>" in page
    evidence = page.partition('id="evidence"')[2].partition("</section>")[0]
    named = [span.split("<")[0] for span in evidence.split('<span class="text">')[1:]]
    assert named == ["Another House"]
