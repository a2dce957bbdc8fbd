"""The extension of examples/, from its own wheel: every surface has what it adds, and none has it when it is gone."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.commands import without_settings
from support.running_server import Server, serving_command
from support.tree import ROOT
from support.wheels import build, environment, install, output, packages, uninstall

pytestmark = pytest.mark.long
EXAMPLE = ROOT / "examples/extension-reading-list"
ENVIRONMENT = without_settings({"PATH": "/usr/bin:/bin"})
BOOK = """\
---
title: Middlemarch
summary: A study of provincial life.
date: 2026-03-01
author: George Eliot
topics: [content-negotiation]
---

Long, and worth every evening.
"""
GUIDES = ("/", "/llms.txt", "/agents.md", "/developers.md", "/openapi.json", "/mcp-readonly.json", "/sitemap.md")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels of the packages and of the example, by their names."""
    return {
        path.name.partition("-")[0]: path for path in build(tmp_path_factory.mktemp("wheels"), *packages(), EXAMPLE)
    }


@pytest.fixture(scope="module")
def programs(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the packages alone."""
    own = [path for name, path in wheels.items() if name != "citepress_reading_list"]
    return environment(tmp_path_factory.mktemp("installed") / "environment", own)


@contextmanager
def installed(programs: Path, wheels: dict[str, Path]) -> Iterator[None]:
    install(programs, wheels["citepress_reading_list"])
    try:
        yield
    finally:
        uninstall(programs, "citepress-reading-list")


def run(programs: Path, *words: object) -> str:
    return output(programs / "citepress", *words, cwd=programs, env=ENVIRONMENT)


def call(server: Server, method: str, **params: object) -> dict[str, object]:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    answer = server.ask("/mcp", "POST", body, content_type="application/json", accept="application/json")
    return answer.json()["result"]


def texts(server: Server) -> dict[str, str]:
    """The guides, with the list of tools and the feeds."""
    return {path: server.ask(path, **server.client()).text for path in GUIDES} | {
        "tools": json.dumps(call(server, "tools/list")),
        "search": server.ask("/search.json?query=address", **server.client()).text,
    }


def test_every_surface_has_the_extension_and_forgets_it_when_it_is_removed(
    programs: Path, wheels: dict[str, Path], tmp_path: Path
) -> None:
    archive, state, program = tmp_path / "archive", tmp_path / "state", [str(programs / "citepress")]
    run(programs, "init", archive)
    site = archive / "site.toml"
    site.write_text('base_url = "https://archive.example"\n' + site.read_text("utf-8"), "utf-8")
    with serving_command(archive, state, program=program) as server:
        before = texts(server)
    with installed(programs, wheels):
        (archive / "content/books").mkdir()
        (archive / "content/books/middlemarch.md").write_text(BOOK, "utf-8")
        with serving_command(archive, state, program=program) as server:
            check_surfaces(server, texts(server))
        check_commands(programs, archive)
        shutil.rmtree(archive / "content/books")
    assert_refused(programs, state)
    with serving_command(archive, state, program=program) as server:
        assert texts(server) == before
        assert server.ask("/books/middlemarch/", **server.client()).status == 404
        assert server.ask("/reading-list.json", **server.client()).status == 404
    assert "reading-list" not in run(programs, "--help") + run(programs, "routes")


def assert_refused(programs: Path, state: Path) -> None:
    """A server that lacks an extension of an edition says so in one sentence."""
    code = "import sys; from pathlib import Path; from citepress.edition.edition import open_edition, pointer;"
    code += "open_edition(pointer(Path(sys.argv[1])))"
    done = subprocess.run([programs / "python", "-c", code, state], capture_output=True, text=True, check=False)
    reason = "the extension 'reading-list', which is not installed: pip install citepress-reading-list==1.0"
    assert done.stderr.splitlines()[-1].endswith(reason)


def check_surfaces(server: Server, guides: dict[str, str]) -> None:
    """Every derived surface of the running service."""
    ask = lambda path: server.ask(path, **server.client())  # noqa: E731  (an abbreviation)
    assert "George Eliot" in ask("/books/middlemarch/").text
    assert "**Author:** George Eliot" in ask("/books/middlemarch.md").text
    assert ask("/books/middlemarch.json").json()["status"] == "unread"
    assert ask("/books.json").json()["items"][0]["author"] == "George Eliot"
    assert ask("/reading-list.json").json()["titles"] == ["Middlemarch"]
    assert ask("/schemas/UnreadBooks.json").json()["properties"].keys() == {"titles"}
    assert "Middlemarch" in ask("/books/feed.xml").text
    assert "/reading-list.json" in guides["/agents.md"]
    assert "/books/middlemarch" in guides["/llms.txt"]
    assert "/books" in guides["/sitemap.md"]
    contract = json.loads(guides["/openapi.json"])
    assert {"/books/{slug}.json", "/reading-list.json", "/agent-actions/next-book.json"} <= contract["paths"].keys()
    assert {"BookRecord", "UnreadBooks", "NextBook"} <= contract["components"]["schemas"].keys()
    assert "next_book" in guides["tools"]
    assert "next_book" in guides["/mcp-readonly.json"]
    assert "Middlemarch" in json.dumps(call(server, "tools/call", name="next_book", arguments={}))
    assert ask("/agent-actions/next-book.json").json()["title"] == "Middlemarch"
    assert ask("/search.json?query=provincial").json()["results"][0]["id"] == "books/middlemarch"


def check_commands(programs: Path, archive: Path) -> None:
    """The command line: its own command, check, new, schema and the table of site.toml."""
    site = archive / "site.toml"
    settings = site.read_text("utf-8")
    assert run(programs, "reading-list", archive) == "Middlemarch\n"
    assert "Print the books that are not read yet." in run(programs, "--help")
    assert "reading-list archive" in run(programs, "reading-list", "--help")
    assert "Who wrote it." in run(programs, "schema", "books")
    assert "reading_list" in json.loads(run(programs, "schema", "site"))["$defs"]["Site"]["properties"]
    assert "no faults" in run(programs, "check", archive)
    site.write_text(settings + "\n[reading_list]\nshown = 1\n", "utf-8")
    assert "no faults" in run(programs, "check", archive)
    site.write_text(settings, "utf-8")


def test_the_example_is_short() -> None:
    lines = [line for path in (EXAMPLE / "src").rglob("*.py") for line in path.read_text("utf-8").splitlines()]
    assert len([line for line in lines if line.strip()]) <= 120
