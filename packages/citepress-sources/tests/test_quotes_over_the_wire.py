"""A claim that quotes, from the command that checks it to every place where readers and agents see what was found."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citepress.base.text import bounded
from support.commands import citepress
from support.folder import folder, post
from support.origin import NETWORK, STORY, WORDS, Reply, ScriptedOrigin, page, scripted_origin
from support.running_server import Server, serving
from support.waiting import until

SITE = 'title = "Test archive"\nbase_url = "https://archive.test"\n'
OTHER = "There are twelve stations on the line"


@pytest.fixture(scope="module")
def site() -> Iterator[ScriptedOrigin]:
    with scripted_origin() as running:
        running.pages["/one"] = Reply(page())
        yield running


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, site: ScriptedOrigin) -> Path:
    claims = [
        {"text": "It is cautious.", "source_refs": ["one"], "quote": WORDS},
        {"text": "It is a long line.", "source_refs": ["one", "two"], "quote": OTHER},
        {"text": "It says nothing.", "source_refs": ["two"]},
    ]
    cited = [{"id": "one", "url": f"{site.url}/one"}, {"id": "two", "url": f"{site.url}/two"}]
    files = {"content/posts/a.md": post(sources=cited, claims=claims)}
    return folder(tmp_path_factory.mktemp("quotes") / "archive", files, SITE)


@pytest.fixture(scope="module")
def server(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(root, tmp_path_factory.mktemp("served"), "--watch") as running:
        yield running


def check(root: Path) -> str:
    """Check the sources; what the command says."""
    done = citepress("sources", "check", "--allow-network", NETWORK, "--content", str(root))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def claims(server: Server) -> list[dict[str, Any]]:
    own: list[dict[str, Any]] = server.ask("/posts/a.json").json()["claims"]
    return own


def states(server: Server) -> list[str]:
    return [claim["quote_check"]["state"] for claim in claims(server)[:2]]


def tool(server: Server, name: str, **arguments: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    fields = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }
    answer = server.ask("/mcp", "POST", json.dumps(message).encode(), **fields)
    return answer.json()["result"]["structuredContent"]


def test_what_is_said_of_a_quote_follows_its_source(root: Path, site: ScriptedOrigin, server: Server) -> None:
    assert claims(server)[2]["quote_check"] is None
    assert states(server) == ["unverifiable", "unverifiable"]
    assert {claim["quote_check"]["reason"] for claim in claims(server)[:2]} == {"never_checked"}
    health = server.ask("/evidence-health.json").json()
    assert (health["quotes"]["unverifiable"], health["sources"]["never_checked"], health["tasks"]) == (2, 2, [])
    assert health["oldest_check_at"] is None

    assert "2 quotes: 2 verified." in check(root).splitlines()
    until(lambda: states(server) == ["verified", "verified"])
    assert claims(server)[1]["quote_check"]["source"] == "one"
    assert server.ask("/evidence-health.json").json()["sources"] == {
        "unchanged": 1, "changed": 0, "gone": 1, "blocked": 0, "unreachable": 0, "never_checked": 0
    }  # fmt: skip

    edited = page(STORY[0], WORDS.replace("cannot", "can hardly"), *STORY[3:])
    site.pages |= {"/one": Reply(edited), "/two": Reply(b"", 403)}
    lines = check(root).splitlines()
    assert re.fullmatch(rf"changed +{site.url}/one  [0-9.]+% of its text", lines[0])
    assert f'drifted      posts/a  "{bounded(WORDS, 80)}"  {site.url}/one' in lines
    assert f'not found    posts/a  "{bounded(OTHER, 80)}"  {site.url}/one' in lines
    assert "2 quotes: 1 drifted and 1 not found." in lines
    until(lambda: states(server) == ["drifted", "not_found"])
    rows = json.loads(citepress("sources", "status", "--content", str(root), "--json").stdout)
    quotes = [(row["url"], quote["record"], quote["quote"], quote["state"]) for row in rows for quote in row["quotes"]]
    assert quotes == [
        (f"{site.url}/one", "posts/a", text, state)
        for text, state in sorted([(WORDS, "drifted"), (OTHER, "not_found")])
    ]
    _everywhere(server, site)
    _in_the_check(root)


def _everywhere(server: Server, site: ScriptedOrigin) -> None:
    """Pages, Markdown, the ledger, pages of origins, the health of evidence, and answers over MCP."""
    for path, date in (("/posts/a/", '<time datetime="20'), ("/posts/a.md", "20")):
        text = server.ask(path).text
        assert WORDS in text
        assert f"quote drifted on {date}" in text
        assert f"quote not found on {date}" in text
    (row,) = [row for row in server.ask("/source-ledger.json").json()["sources"] if row["url"].endswith("/one")]
    assert row["quotes"] == {"verified": 0, "drifted": 1, "not_found": 1, "unverifiable": 0}
    (citation,) = server.ask("/sources/127.0.0.1.json").json()["evidence"][0]["citations"]
    assert [(quote["quote"], quote["state"]) for quote in citation["quotes"]] == [
        (WORDS, "drifted"), (OTHER, "not_found")
    ]  # fmt: skip
    health = server.ask("/evidence-health.json").json()
    assert health["quotes"] == {"verified": 0, "drifted": 1, "not_found": 1, "unverifiable": 0}
    assert health["blocking_hosts"] == [{"host": "127.0.0.1", "sources": 1}]
    assert [quote["state"] for quote in health["unheld"]] == ["drifted", "not_found"]
    assert {task["task"] for task in health["tasks"]} == {"verify_claim"}
    assert f'id="{health["tasks"][0]["id"]}"' in server.ask("/evidence-health/").text
    fields = tool(server, "get_record", id="posts/a")["fields"]
    assert [claim["quote_check"]["state"] for claim in fields["claims"][:2]] == ["drifted", "not_found"]
    (task, _) = tool(server, "list_agent_tasks", task="verify_claim")["tasks"]
    assert task["url"] == f"https://archive.test/evidence-health/#{health['tasks'][0]['id']}"
    assert site.url in task["input"]


def _in_the_check(root: Path) -> None:
    done = citepress("check", str(root), "--format", "json")
    places = [(f["code"], f["line"], f["message"].partition(":")[0]) for f in json.loads(done.stdout)["faults"]]
    lines = (root / "content/posts/a.md").read_text().splitlines()
    quoted = [number for number, line in enumerate(lines, 1) if line.lstrip().startswith("quote:")]
    assert [place for place in places if place[0] == "CP063"] == [
        ("CP063", quoted[0], "claims[0].quote"), ("CP063", quoted[1], "claims[1].quote")
    ]  # fmt: skip
    assert done.returncode == 0


def test_a_source_that_is_gone_makes_a_task_until_a_copy_is_named(
    root: Path, site: ScriptedOrigin, server: Server
) -> None:
    site.pages["/one"] = Reply(b"", 410)
    check(root)
    until(lambda: server.ask("/evidence-health.json").json()["stale_count"] == 1)
    (task, *_) = server.ask("/evidence-health.json").json()["tasks"]
    assert (task["task"], task["related_record"], task["how_to_submit"]) == (
        "refresh_source", "posts/a", "submit_source"
    )  # fmt: skip
    assert task["title"].startswith("Find a living source for ")
    assert "It is cautious." in task["input"]
    assert "primary · gone on <time" in server.ask("/posts/a/").text
    assert "primary · gone on 20" in server.ask("/posts/a.md").text
    assert "CP064" in citepress("check", str(root)).stdout
    file = root / "content/posts/a.md"
    file.write_text(
        file.read_text().replace(f"{site.url}/one", f"{site.url}/one\n  archive_url: https://web.example/1")
    )
    until(lambda: server.ask("/posts/a.json").json()["sources"][0]["archive_url"] is not None)
    tasks = server.ask("/evidence-health.json").json()["tasks"]
    assert [task for task in tasks if task["task"] == "refresh_source"] == []
    assert "CP064" not in citepress("check", str(root)).stdout


def test_a_quote_without_a_source_is_a_fault(tmp_path: Path) -> None:
    files = {"content/posts/a.md": post(claims=[{"text": "It is so.", "quote": "It is just so."}])}
    done = citepress("check", str(folder(tmp_path, files, SITE)))
    assert done.returncode == 1
    assert "a quote needs source_refs" in done.stdout
