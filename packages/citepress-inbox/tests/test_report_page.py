"""How the page of a record leads to the report of an error in it: by command, by MCP, by mail."""

import json
from collections.abc import Iterator

import lxml.html
import pytest

from support.folder import SITE, folder, post
from support.running_server import Server, serving

OWNER = "---\nname: Ada\nheadline: Writes\ndescription: Writes notes.\ncontact: ada@archive.test\n---\n"
SPEC = {"id": "spec", "url": "https://spec.example/", "title": "The specification"}
CLAIM = {"text": "It isn't 'quoted' rightly.", "source_refs": ["spec"]}
FILES = {
    "site.toml": SITE,
    "content/owner.md": OWNER,
    "content/posts/x.md": post("Words.", sources=[SPEC], claims=[CLAIM]),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = tmp_path_factory.mktemp("report")
    with serving(folder(path / "archive", FILES), path / "state") as running:
        yield running


def commands(server: Server) -> dict[str, str]:
    """The commands on the page of the report, by their headings."""
    html = lxml.html.fromstring(server.ask("/posts/x/report/").text)
    return {
        part.find("h2").text_content(): part.find(".//code").text_content() for part in html.find_class("block code")
    }


def body_of(command: str) -> dict[str, object]:
    """What a shell would send."""
    quoted = command.partition(" -d '")[2].removesuffix("'").replace("'\\''", "'")
    return dict(json.loads(quoted))


def test_every_record_leads_to_its_report(server: Server) -> None:
    html = lxml.html.fromstring(server.ask("/posts/x/").text)
    (below,) = html.xpath("//p[@class='report']/a")
    assert (below.get("href"), below.get("rel")) == ("/posts/x/report/", "nofollow")
    answer = server.ask("/posts/x/report/")
    assert (answer.status, 'content="noindex"' in answer.text) == (200, True)
    assert "<form" not in answer.text
    assert "# Report an error" in server.ask("/posts/x/report/", accept="text/markdown").text
    assert server.ask("/posts/x/report.md").status == 200


@pytest.mark.parametrize("path", ["/posts/report/", "/posts/none/report/", "/posts/x/report.json", "/about/report/"])
def test_nothing_else_has_a_report(server: Server, path: str) -> None:
    assert server.ask(path).status == 404


def test_the_command_is_refused_as_it_stands_and_taken_once_it_is_filled_in(server: Server) -> None:
    body = body_of(commands(server)["Over HTTP"])
    assert (body["related_record"], body["claim"]) == ("posts/x", CLAIM["text"])

    def sent() -> int:
        raw = json.dumps(body).encode()
        return server.ask("/agent-inbox/correction", "POST", body=raw, content_type="application/json").status

    assert sent() == 422
    body |= {"correction": "It is quoted rightly now.", "evidence_urls": ["https://spec.example/new"]}
    assert sent() == 202


def test_the_call_over_mcp_names_the_tool_and_the_record(server: Server) -> None:
    body = body_of(commands(server)["Over MCP"])
    assert body["params"]["name"] == "submit_correction"  # type: ignore[index]  # JSON of a known shape
    assert body["params"]["arguments"]["related_record"] == "posts/x"  # type: ignore[index]


def test_the_owners_mail_opens_with_the_record_as_its_subject(server: Server) -> None:
    html = lxml.html.fromstring(server.ask("/posts/x/report/").text)
    assert "mailto:ada@archive.test?subject=Error%20in%20posts/x" in html.xpath("//a/@href")
