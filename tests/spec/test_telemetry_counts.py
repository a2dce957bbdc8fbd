"""What a running service writes down of requests over the wire, and what it never does."""

import json
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from citepress_telemetry.ports import MALFORMED
from citepress_telemetry.sql.spool import SPOOL_FILE, open_spool
from support.database_servers import postgresql_running, schema_of
from support.folder import folder, post, topic
from support.running_server import HOST, Server, serving
from support.stored_telemetry import StoredTelemetry, call, fields, rpc, until
from support.traffic_counter import CHROME, GPTBOT
from support.waiting import PATIENCE_S

PROBES = """\
id: core
version: "1.0.0"
frozen_at: "2026-03-06T00:00:00Z"
probes:
- id: p1
  question: Which note is the first?
  canonical_citations:
  - canonical_path: posts/one
    role: primary
  reference_answer: Note one.
scoring:
  rules:
  - id: canonical_exact
    points: 1.0
"""
FILES = {
    "content/posts/one.md": post(),
    "content/posts/two.md": post(),
    "content/topics/moves.md": topic(),
    "content/probes/core.yaml": PROBES,
}
CURL = "curl/8.5.0"
WAIT_S = 20


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, StoredTelemetry]]:
    root, state = folder(tmp_path_factory.mktemp("content"), FILES), tmp_path_factory.mktemp("state")
    with serving(root, state, rest_limit="40", mcp_limit="30") as server:
        telemetry = StoredTelemetry(state)
        telemetry.rows(1)  # the question whether the server is up
        yield server, telemetry


@pytest.fixture
def server(served: tuple[Server, StoredTelemetry]) -> Server:
    return served[0]


@pytest.fixture
def telemetry(served: tuple[Server, StoredTelemetry]) -> StoredTelemetry:
    return served[1]


def test_every_form_of_a_page_counts_for_one_material(server: Server, telemetry: StoredTelemetry) -> None:
    client = server.client()
    etag = server.ask("/posts/one/", user_agent=GPTBOT, **client).fields["etag"]
    server.ask("/posts/one.md", user_agent=GPTBOT, **client)
    server.ask("/posts/one/", user_agent=GPTBOT, accept="text/markdown", **client)
    server.ask("/posts/one.json", user_agent=GPTBOT, **client)
    server.ask("/posts/one/", user_agent=GPTBOT, if_none_match=etag, **client)
    server.ask("/posts/one/", "HEAD", user_agent=GPTBOT, **client)
    rows = telemetry.rows(6)
    assert {(row["family"], row["material"]) for row in rows} == {("GPTBot", "posts/one")}
    assert fields(rows, "route", "rep", "status") == [
        ("/posts/{slug}/", "html", 200),
        ("/posts/{slug}.md", "markdown", 200),
        ("/posts/{slug}.md", "markdown", 200),
        ("/posts/{slug}.json", "json", 200),
        ("/posts/{slug}/", "html", 304),
        ("/posts/{slug}/", "html", 200),
    ]
    assert [row["bytes"] > 0 for row in rows] == [True, True, True, True, False, False]
    assert len({row["net"] for row in rows}) == 1


def test_home_and_hubs_are_materials_and_machine_documents_are_not(server: Server, telemetry: StoredTelemetry) -> None:
    for path in ("/", "/posts/", "/topics/moves/", "/llms.txt", "/openapi.json", "/sitemap.xml"):
        server.ask(path, user_agent=CURL, **server.client())
    rows = telemetry.rows(6)
    assert fields(rows, "material", "rep") == [
        ("home", "html"),
        ("posts", "html"),
        ("topics/moves", "html"),
        ("", "text"),
        ("", "json"),
        ("", "xml"),
    ]
    assert {row["family"] for row in rows} == {"curl"}


def test_strangers_keep_their_404_and_leave_a_category_and_a_hash(server: Server, telemetry: StoredTelemetry) -> None:
    client = server.client()
    for path in ("/posts/never-written/", "/wp-login.php", "/.env", "/nothing", "/posts/one"):
        server.ask(path, user_agent=CHROME, **client)
    rows = telemetry.rows(5)
    assert fields(rows, "status", "route", "probe") == [
        (404, "/posts/{slug}/", ""),
        (404, "", "wordpress"),
        (404, "", "dotfile"),
        (404, "", ""),
        (308, "/posts/{slug}/", ""),
    ]
    assert [row["miss"] != 0 for row in rows] == [False, True, True, True, False]
    assert {row["family"] for row in rows} == {"(browser-like)"}


def test_theme_files_are_only_counted(server: Server, telemetry: StoredTelemetry) -> None:
    page = server.ask("/", user_agent=CHROME, **server.client()).text
    css = page.partition("/theme/")[2].partition('"')[0]
    assert server.ask(f"/theme/{css}", user_agent=CHROME).status == 200
    assert telemetry.counts(lambda grown: "assets" in grown) == {"assets": 1}
    assert [row["route"] for row in telemetry.rows(1)] == ["/"]


def test_a_batch_of_ten_messages_leaves_ten_sets_of_notes_and_one_row(
    server: Server, telemetry: StoredTelemetry
) -> None:
    batch = [call(n, "search_archive", query="note") for n in range(8)] + [
        call(8, "no_such_tool_of_ours"),
        call(9, "get_record", id="posts/nine"),
    ]
    assert len(rpc(server, batch, **server.client()).json()) == 10
    assert telemetry.counts(lambda grown: sum(n for name, n in grown.items() if "mcp.method" in name) == 10) == {
        "gateway/mcp.method/tools/call/ok": 8,
        "gateway/mcp.method/tools/call/error": 2,
        "gateway/mcp.revision/2025-03-26/ok": 8,
        "gateway/mcp.revision/2025-03-26/error": 2,
        "gateway/mcp.tool/search_archive/ok": 8,
        "gateway/mcp.tool/other/error": 1,
        "gateway/mcp.tool/get_record/error": 1,
    }
    assert fields(telemetry.rows(1), "route", "rep", "status") == [("/mcp", "mcp", 200)]


@pytest.mark.parametrize(("name", "counted"), [("claude-code", "claude-code"), ("Bobs-Secret-Agent", "other")])
def test_a_client_is_counted_by_its_name_only_where_that_is_known(
    server: Server, telemetry: StoredTelemetry, name: str, counted: str
) -> None:
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}}
    rpc(server, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}, "2025-06-18", **server.client())
    assert telemetry.counts(lambda grown: len(grown) == 4) == {
        "gateway/mcp.method/initialize/ok": 1,
        "gateway/mcp.revision/2025-06-18/ok": 1,
        "gateway/mcp.initialize/2025-06-18/ok": 1,
        f"gateway/mcp.client/{counted}/ok": 1,
    }
    telemetry.rows(1)


def test_resources_and_prompts_are_counted(server: Server, telemetry: StoredTelemetry) -> None:
    client = server.client()
    uri = rpc(server, {"jsonrpc": "2.0", "id": 1, "method": "resources/list"}, **client).json()["result"]["resources"][
        0
    ]["uri"]
    rpc(server, {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri}}, **client)
    rpc(server, {"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": {"name": "no-such"}}, **client)
    grown = telemetry.counts(lambda grown: "gateway/mcp.prompt/get/error" in grown)
    assert (grown["gateway/mcp.resource/read/ok"], grown["gateway/mcp.method/resources/list/ok"]) == (1, 1)
    telemetry.rows(3)


def test_actions_count_as_matched_empty_or_refused(server: Server, telemetry: StoredTelemetry) -> None:
    client = server.client()
    for path in (
        "/search.json?query=note",
        "/search.json?query=zzqqxx",
        "/search.json",
        "/search/?query=note",
        "/search/",
    ):
        server.ask(path, user_agent=CURL, **client)
    server.ask("/search.json?query=note", "OPTIONS", **client)
    server.ask("/agent-actions/contextualize.json?url=https://spec.example/one", user_agent=CURL, **client)
    grown = telemetry.counts(lambda grown: any("contextualize" in name for name in grown))
    assert {name: n for name, n in grown.items() if "search_archive" in name} == {
        "gateway/action/search_archive/matched": 2,
        "gateway/action/search_archive/empty": 1,
        "gateway/action/search_archive/refused": 1,
    }
    assert fields(telemetry.rows(7), "route", "status")[0] == ("/search.json", 200)


def test_a_search_that_repeats_a_recall_probe_is_told_apart_from_use(
    server: Server, telemetry: StoredTelemetry
) -> None:
    client = server.client()
    for query in ("Which+note+is+the+first%3F", "which%20note%20is%20%20the%20FIRST", "which+note+is+second"):
        server.ask(f"/search.json?query={query}", user_agent=CURL, **client)
    grown = telemetry.counts(lambda grown: sum(grown.values()) == 3)
    assert {name.rpartition("/")[0]: n for name, n in grown.items()} == {
        "gateway/action/search_archive (recall probe)": 2,
        "gateway/action/search_archive": 1,
    }
    telemetry.rows(3)


def test_submissions_count_as_queued_duplicate_or_refused(server: Server, telemetry: StoredTelemetry) -> None:
    body = {"related_record": "posts/one", "use": "An answer."}
    for payload in (body, body, {}):
        server.ask(
            "/agent-inbox/usage-receipt",
            "POST",
            json.dumps(payload).encode(),
            content_type="application/json",
            **server.client(),
        )
    grown = telemetry.counts(lambda grown: "gateway/inbox/usage_receipt/refused" in grown)
    assert grown == {f"gateway/inbox/usage_receipt/{outcome}": 1 for outcome in ("queued", "duplicate", "refused")}
    telemetry.rows(3)


def test_submissions_over_mcp_count_in_the_inbox_too(server: Server, telemetry: StoredTelemetry) -> None:
    for _ in range(2):
        rpc(server, call(1, "submit_usage_receipt", related_record="posts/two", use="An answer."), **server.client())
    grown = telemetry.counts(lambda grown: "gateway/inbox/usage_receipt/duplicate" in grown)
    assert {name: n for name, n in grown.items() if "mcp.method" not in name and "mcp.revision" not in name} == {
        "gateway/inbox/usage_receipt/queued": 1,
        "gateway/inbox/usage_receipt/duplicate": 1,
        "gateway/mcp.tool/submit_usage_receipt/ok": 2,
    }
    telemetry.rows(2)


@pytest.mark.parametrize(
    "line", [b"GARBAGE\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"]
)
def test_what_is_no_request_counts_as_malformed(server: Server, telemetry: StoredTelemetry, line: bytes) -> None:
    with socket.create_connection((HOST, server.port), PATIENCE_S) as link:
        link.sendall(line)
        answer = link.makefile("rb").read()
    body = answer.partition(b"\r\n\r\n")[2]
    rows = telemetry.rows(1)
    assert fields(rows, "flags", "status", "bytes", "route", "family") == [
        (MALFORMED, 400, len(body), "", "(no user agent)")
    ]


def test_refusals_by_a_limit_are_counted_by_door(server: Server, telemetry: StoredTelemetry) -> None:
    client = server.client()
    assert [server.ask("/posts.json", **client).status for _ in range(42)][-2:] == [429, 429]
    other = server.client()
    assert rpc(server, [{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in range(10)], **other).status == 200
    assert [
        rpc(server, [{"jsonrpc": "2.0", "id": n, "method": "ping"} for n in range(10)], **other).status
        for _ in range(3)
    ][-1] == 429
    grown = telemetry.counts(lambda grown: "gateway/limit/mcp/limited" in grown)
    assert (
        grown["gateway/limit/rest_json/limited"],
        grown["gateway/limit/mcp/limited"],
        grown["gateway/mcp.method/ping/ok"],
    ) == (2, 1, 30)
    rows = telemetry.rows(46)
    assert fields(rows, "route", "rep", "status")[41] == ("/posts.json", "json", 429)


def test_a_service_that_is_told_not_to_count_keeps_nothing(tmp_path: Path) -> None:
    site = 'title = "Quiet"\n[telemetry]\nenabled = false\n'
    with serving(folder(tmp_path / "content", FILES, site), tmp_path / "state") as server:
        assert server.ask("/posts/one/").status == 200
    assert not (tmp_path / "state" / SPOOL_FILE).exists()


def test_own_traffic_is_left_out_and_what_waits_is_written_when_the_service_ends(tmp_path: Path) -> None:
    site = 'title = "Ours"\n[telemetry]\nself = ["198.51.100.0/24", "ua:Uptime-Kuma"]\n'
    with serving(folder(tmp_path / "content", FILES, site), tmp_path / "state") as server:
        for client, agent in (("198.51.100.9", CURL), ("203.0.113.9", "Uptime-Kuma/1"), ("203.0.113.9", CURL)):
            server.ask("/posts/one/", user_agent=agent, x_forwarded_for=client)
        StoredTelemetry(tmp_path / "state").rows(2)
        for _ in range(3):
            server.ask("/posts/two/", user_agent=CURL, x_forwarded_for="203.0.113.9")
    assert len(StoredTelemetry(tmp_path / "state").rows(5)) == 5
    with sqlite3.connect(tmp_path / "state" / SPOOL_FILE) as spool:
        assert spool.execute("SELECT sum(n) FROM spool_counter WHERE name = 'self'").fetchone() == (2,)


def test_with_postgresql_the_same_is_counted_there_and_no_file_of_counts_is_made(tmp_path: Path) -> None:
    with postgresql_running() as database, closing(open_spool(tmp_path, schema_of(database))) as spool:
        address = spool.database.engine.url.render_as_string(hide_password=False)
        with serving(folder(tmp_path / "content", FILES), tmp_path / "state", database_url=address) as server:
            for path in ("/posts/one/", "/.env"):
                server.ask(path, user_agent=GPTBOT)
            rows = until(
                lambda: [row for hour in spool.hours() for row in spool.read(hour)], lambda rows: len(rows) >= 3
            )
            assert [(row.status, row.material > 0, row.probe > 0) for row in rows[1:]] == [
                (200, True, False),
                (404, False, True),
            ]
            assert len({row.net for row in rows}) == 1
        assert not list((tmp_path / "state").glob("spool*"))
