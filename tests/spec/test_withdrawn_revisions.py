"""Revisions of withdrawn records over the wire: gone with them, unless the publisher keeps them readable."""

import re
from collections.abc import Iterator
from pathlib import Path

import lxml.html
import orjson
import pytest

from support.folder import SITE, folder, markdown, post
from support.git_folder import Commit, at, extend, repository
from support.running_server import Server, serving

KEPT = "keep_revisions = true\n" + SITE
REASON = "Its figures were wrong."
BELOW = ("@1/", "@1.md", "@2.json", "@1..2/", "history/", "history.link")


def read_by_agent(server: Server, id_: str) -> str:
    """What ``get_record`` of MCP says."""
    called = {"name": "get_record", "arguments": {"id": id_}}
    body = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called})
    accept = "application/json, text/event-stream"
    answer = server.ask("/mcp", "POST", body, content_type="application/json", accept=accept)
    return str(answer.json()["result"]["content"][0]["text"])


def withdrawn(**members: object) -> str:
    return markdown({"title": "A note", "gone": {"date": "2026-06-03", "reason": REASON, **members}}, "")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = tmp_path_factory.mktemp("withdrawn")
    names = ("x", "removed", "expired", "new")
    said = [
        {f"content/posts/{name}.md": post(f"{word} words of {name}.") for name in names} for word in ("First", "Second")
    ]
    last = {
        "content/posts/x.md": withdrawn(successor="posts/new"),
        "content/posts/removed.md": withdrawn(keep_revisions=False),
        "content/posts/expired.md": post("Second words of expired.", expiryDate="2026-06-04"),
    }
    commits = [Commit(at(10 * hour), {"site.toml": KEPT, **files}) for hour, files in enumerate((*said, last))]
    with serving(repository(path / "archive", commits), path / "state") as running:
        yield running


@pytest.mark.requirement("revisions of withdrawn records")
def test_revisions_of_a_withdrawn_record_can_be_read_where_the_publisher_keeps_them(server: Server) -> None:
    for number, word in ((1, "First"), (2, "Second")):
        page = server.ask(f"/posts/x/@{number}/")
        assert (page.status, f"{word} words of x." in page.text) == (200, True)
        notice = lxml.html.fromstring(page.text).xpath("//*[@id='withdrawn']")[0]
        assert f"posts/x was withdrawn on 2026-06-03. {REASON}" in notice.text_content()
        relations = re.findall(r'rel="([a-z-]+)"', page.fields["link"])
        assert "successor-version" in relations
        assert "latest-version" not in relations, "there is none"
        assert REASON in server.ask(f"/posts/x/@{number}.md").text
        data = server.ask(f"/posts/x/@{number}.json")
        assert data.json()["withdrawn"] == f"posts/x was withdrawn on 2026-06-03. {REASON}"
        assert "immutable" not in data.fields["cache-control"], "it says now that it was withdrawn"
    for below in BELOW:
        assert server.ask(f"/posts/x/{below}").status == 200, below
    assert REASON in server.ask("/posts/x/history/").text
    assert server.ask("/posts/x/@1..2.json").json()["withdrawn"]
    assert server.ask("/posts/x/@3/").status == 404
    assert server.ask("/posts/new/@1.json").json()["withdrawn"] is None
    for path in ("/sitemap.xml", "/sitemaps/records-1.xml", "/feed.json", "/rss.xml", "/search.json?query=words+of+x"):
        assert "/posts/x/" not in server.ask(path).text, path


@pytest.mark.requirement("revisions of withdrawn records")
def test_the_record_itself_is_gone_and_leads_to_its_revisions(server: Server) -> None:
    gone = server.ask("/posts/x/")
    assert gone.status == 410
    assert "/posts/x/history/" in gone.text
    assert "https://archive.test/posts/x/history/" in server.ask("/posts/x.md").text
    problem = server.ask("/posts/x.json")
    assert problem.status == 410
    assert problem.json()["history"]["href"] == "https://archive.test/posts/x/history/"
    assert problem.json()["successor"]["href"] == "https://archive.test/posts/new/"
    for relation in ("original timegate", "timemap", "version-history", "successor-version"):
        assert f'rel="{relation}"' in problem.fields["link"], relation
    then = server.ask("/posts/x/", accept_datetime="Mon, 01 Jun 2026 09:00:00 GMT")
    assert (then.status, then.fields["location"]) == (302, "/posts/x/@1/")
    assert server.ask("/posts/x/", accept_datetime="yesterday").status == 400
    assert server.ask("/posts/x/", "POST", accept_datetime="Mon, 01 Jun 2026 09:00:00 GMT").status == 410
    assert "https://archive.test/posts/x/history/" in read_by_agent(server, "posts/x")


@pytest.mark.requirement("revisions of withdrawn records")
@pytest.mark.parametrize("name", ["removed", "expired"])
def test_what_has_to_go_entirely_goes_although_the_site_keeps_revisions(server: Server, name: str) -> None:
    for below in ("", *BELOW):
        answer = server.ask(f"/posts/{name}/{below}")
        assert (answer.status, "history/" in answer.text) == (410, False), below
    gone = server.ask(f"/posts/{name}/", accept_datetime="Mon, 01 Jun 2026 09:00:00 GMT")
    assert gone.status == 410
    assert "timegate" not in gone.fields.get("link", "")
    assert "history" not in read_by_agent(server, f"posts/{name}")


def test_one_record_is_kept_where_the_site_keeps_none_and_goes_when_its_author_says_so(tmp_path: Path) -> None:
    commits = [
        Commit(at(0), {"site.toml": SITE, "content/posts/x.md": post("Kept words."), "content/posts/y.md": post()}),
        Commit(at(10), {"content/posts/x.md": withdrawn(keep_revisions=True), "content/posts/y.md": withdrawn()}),
    ]
    archive = repository(tmp_path / "archive", commits)
    with serving(archive, tmp_path / "state") as server:
        assert "Kept words." in server.ask("/posts/x/@1/").text
        assert server.ask("/posts/y/@1/").status == 410
    extend(archive, [Commit(at(20), {"content/posts/x.md": withdrawn()})])
    with serving(archive, tmp_path / "state") as server:
        assert server.ask("/posts/x/@1/").status == 410
    published = [file for file in (tmp_path / "state" / "edition").iterdir() if file.suffix == ".pack"]
    assert published
    assert not any(b"Kept words." in file.read_bytes() for file in published)


def test_revisions_without_git_are_kept_too_under_a_name_that_changed(tmp_path: Path) -> None:
    archive, state = tmp_path / "archive", tmp_path / "state"
    folder(archive, {"content/posts/w.md": post("Words without Git.")}, KEPT)
    with serving(archive, state) as server:
        assert server.ask("/posts/w/@1/").status == 200
    (archive / "content/posts/w.md").unlink()
    front = {"title": "A note", "gone": True, "aliases": ["/posts/w/"]}
    folder(archive, {"content/posts/x.md": markdown(front, "")}, None)
    with serving(archive, state) as server:
        assert "Words without Git." in server.ask("/posts/x/@1/").text
        assert server.ask("/posts/w/@1/").fields["location"] == "/posts/x/@1/"
