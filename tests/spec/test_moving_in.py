"""A folder of another tool: `check`, `serve` and `build` accept it as it is and say what they leave out."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from citepress.cli import run
from support.running_server import Server, serving
from support.shapes import SHAPES, committed, git, shaped

WARNED = {
    "zola": {
        "CP045": ["content/broken.md", "content/control.md"],
        "CP068": ["content/_index.md", "content/hidden.md"],
    },
    "hugo": {
        "CP044": ["content/posts/bundle/index.md"],
        "CP045": ["content/posts/json.md"],
        "CP046": ["content/posts/bundle/index.md", "content/posts/dead.md", "content/posts/dead.md"],
    },
    "jekyll": {},
    "notes": {"CP045": ["sub/bytes.md"], "CP047": ["sub/Plan B.md"]},
}
"""What is told of each folder, by code."""
NOTES = {
    "zola": {"content-control", "content-first", "content-second"},
    "hugo": {"content-posts-bundle-index", "content-posts-json", "content-posts-dead"},
    "jekyll": {"posts-2013-09-03-hello", "posts-2014-01-02-second"},
    "notes": {"daily-note", "sub-plan-b"},
}


@pytest.fixture(scope="module", params=list(SHAPES))
def shape_and_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, Server]]:
    base = tmp_path_factory.mktemp("moving")
    with serving(shaped(base / request.param, request.param), base / "state") as server:
        yield request.param, server


@pytest.mark.parametrize("name", SHAPES)
def test_check_finds_no_error_and_tells_what_was_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert run(["check", str(shaped(tmp_path / name, name)), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["records"] == len(NOTES[name])
    messages: dict[str, list[str]] = {}
    for fault in report["faults"]:
        assert fault["level"] != "error"
        messages.setdefault(fault["code"], []).append(fault["file"])
    assert {code: files for code, files in messages.items() if code != "CP040"} == WARNED[name]


@pytest.mark.parametrize("name", SHAPES)
def test_build_writes_every_note_and_every_picture(tmp_path: Path, name: str) -> None:
    root = shaped(tmp_path / name, name)
    out = tmp_path / "dist"
    assert (
        run(
            [
                "build",
                str(root),
                "--output",
                str(out),
                "--state",
                str(tmp_path / "state"),
                "--base-url",
                "https://e.org",
            ]
        )
        == 0
    )
    assert {
        path.name for path in (out / "posts").iterdir() if path.is_dir() and (path / "index.html").is_file()
    } >= NOTES[name]
    for path in root.rglob("*.png"):
        at = path.relative_to(root)
        assert (out / at).exists() is not str(at).startswith("."), at


def test_a_page_holds_no_front_matter_and_no_source_text_of_it(shape_and_server: tuple[str, Server]) -> None:
    name, server = shape_and_server
    for slug in NOTES[name]:
        for ending in ("/", ".md", ".json"):
            answer = server.ask(f"/posts/{slug}{ending}", **server.client())
            assert answer.status == 200, (slug, ending)
            for words in ("+++", "layout", "taxonomies", "authors ="):
                assert words not in answer.text, (slug, words)
    listed = server.ask("/posts.json", **server.client()).json()
    assert listed["count"] == len(NOTES[name])


def ask(server: Server, path: str) -> dict[str, object]:
    answer = server.ask(path, **server.client())
    assert answer.status == 200, path
    document: dict[str, object] = answer.json()
    return document


def test_each_tool_keeps_its_titles_dates_addresses_and_pictures(shape_and_server: tuple[str, Server]) -> None:
    name, server = shape_and_server
    EXPECTED[name](server)


def zola(server: Server) -> None:
    first = ask(server, "/posts/content-first.json")
    assert (first["title"], first["summary"], first["tags"]) == ("First post", "What came first.", ["one", "two"])
    assert (first["published_at"], first["updated_at"]) == ("2021-03-04T00:00:00Z", "2021-04-05T00:00:00Z")
    assert server.ask("/old/first", **server.client()).fields["location"].endswith("/posts/content-first/")
    assert ask(server, "/posts/content-second.json")["published_at"] == "2022-10-28T00:00:00Z"
    assert server.ask("/2022/10/28/second/", **server.client()).fields["location"].endswith("/posts/content-second/")
    page = server.ask("/posts/content-first/", **server.client()).text
    assert 'width="3" height="2" src="/content/pic.png" alt="A picture"' in page
    assert server.ask("/content/pic.png", **server.client()).type == "image/png"
    assert server.ask("/img/logo.svg", **server.client()).status == 200
    assert server.ask("/posts/content-hidden/", **server.client()).status == 404


def hugo(server: Server) -> None:
    bundle = ask(server, "/posts/content-posts-bundle-index.json")
    assert (bundle["title"], bundle["published_at"], bundle["tags"]) == ("2020", "2020-05-06T08:00:00Z", ["c"])
    assert server.ask("/content/posts/bundle/pic.png", **server.client()).status == 200
    assert server.ask("/content/posts/bundle/sub/paper.pdf", **server.client()).type == "application/pdf"
    assert server.ask("/shared/", **server.client()).fields["location"].endswith("/posts/content-posts-bundle-index/")
    assert ask(server, "/posts/content-posts-json.json")["title"] == "From JSON"


def jekyll(server: Server) -> None:
    hello = ask(server, "/posts/posts-2013-09-03-hello.json")
    assert (hello["title"], hello["published_at"], hello["tags"]) == ("hello", "2013-09-03T00:00:00Z", ["a", "b"])
    assert ask(server, "/posts/posts-2014-01-02-second.json")["published_at"] == "2014-01-03T15:00:00Z"
    for former in ("/hello.html", "/2013/hello/"):
        assert server.ask(former, **server.client()).fields["location"].endswith("/posts/posts-2013-09-03-hello/")
    home = server.ask("/", **server.client()).text
    assert "How to build it." in home
    assert 'href="/posts/posts-2013-09-03-hello/"' in home
    assert server.ask("/assets/logo.png", **server.client()).status == 200


def notes(server: Server) -> None:
    daily = ask(server, "/posts/daily-note.json")
    assert (daily["title"], daily["published_at"], daily["tags"]) == ("Daily", "2024-02-03T00:00:00Z", ["daily"])
    page = server.ask("/posts/daily-note/", **server.client()).text
    assert 'href="/posts/sub-plan-b/"' in page
    assert 'width="7" height="7" src="/sub/Pasted%20image%201.png"' in page
    assert server.ask("/sub/Pasted%20image%201.png", **server.client()).type == "image/png"
    markdown = server.ask("/posts/daily-note.md", **server.client()).text
    assert "![shot](<http" in markdown or "/sub/Pasted%20image%201.png)" in markdown
    for hidden in ("/.secret.png", "/data.json", "/.obsidian/app.json", "/posts/trash-old/"):
        assert server.ask(hidden, **server.client()).status == 404


EXPECTED = {"zola": zola, "hugo": hugo, "jekyll": jekyll, "notes": notes}


def test_notes_in_git_have_the_days_of_their_commits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    committed(root, ("2018-01-02T00:00:00Z", lambda: (root / "a.md").write_text("# A\n\nText.\n")))
    assert run(["check", str(root)]) == 0
    assert capsys.readouterr().out == "1 record, no faults\n"


def test_a_commit_that_dates_notes_makes_a_new_edition_at_the_next_start(tmp_path: Path) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    build = ["build", str(root), "--output", str(tmp_path / "dist"), "--state", str(tmp_path / "state")]
    committed(root, ("2018-01-02T00:00:00Z", lambda: (root / "a.md").write_text("# A\n\nText.\n")))
    (root / "a.md").write_text("# A\n\nMore.\n")
    for at, changed in (("", "2018-01-02"), ("2019-03-04T00:00:00Z", "2019-03-04")):
        if at:
            git(root, "commit", "-am", "Change", at=at)
        assert run(build) == 0
        assert json.loads((tmp_path / "dist/posts/a.json").read_text())["updated_at"] == f"{changed}T00:00:00Z"


def test_an_alias_on_a_built_in_path_is_no_reason_to_stop(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "---\ntitle: A\ndate: 2026-01-01\naliases: [/llms.txt, /posts/, /posts.json, /a.png]\n---\nText.\n"
    )
    assert run(["build", str(tmp_path), "--output", str(tmp_path / "dist")]) == 0
