"""The status and error matrix of the MCP endpoint, rows T, B and M1 to M3, in every revision and on both paths."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from support.mcp_endpoint import BOTH, HANDSHAKE, MODERN, Wire, endpoint_running, envelope, message, refused, result
from support.running_server import HOST, Answer, Server

LIMIT = 262_144
LIST = "tools/list"


def rates(answer: Answer) -> bool:
    return {"ratelimit", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "ratelimit-policy"} <= set(
        answer.fields
    )


@pytest.mark.requirement("mcp-T1")
@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT", "PATCH"])
def test_other_methods_are_405_at_once(endpoint: Server, method: str) -> None:
    answer = endpoint.ask("/mcp", method, origin="https://any.example", accept="text/event-stream")
    assert (answer.status, answer.fields["allow"], answer.fields["access-control-allow-origin"]) == (
        405,
        "POST, OPTIONS",
        "*",
    )
    assert method == "HEAD" or "/connect/" in refused(answer, 405, -31405, null=True)["message"]
    card = endpoint.ask("/.well-known/mcp", method, **endpoint.client())
    assert card.status == (200 if method in {"GET", "HEAD"} else 405)
    assert card.status == 200 or card.fields["allow"] == "GET, HEAD, POST, OPTIONS"


@pytest.mark.requirement("mcp-T2")
def test_a_preflight_is_answered_for_allowed_origins(endpoint: Server, path: str) -> None:
    good = endpoint.ask(path, "OPTIONS", origin="https://any.example", access_control_request_method="POST")
    assert (good.status, good.body, good.fields["access-control-allow-methods"]) == (204, b"", "POST, OPTIONS")
    assert {"Mcp-Method", "Mcp-Name", "MCP-Protocol-Version", "Content-Type"} <= set(
        good.fields["access-control-allow-headers"].split(", ")
    )
    assert (good.fields["access-control-max-age"], "access-control-allow-credentials" in good.fields) == (
        "86400",
        False,
    )
    bad = endpoint.ask(path, "OPTIONS", origin="http://evil.example")
    refused(bad, 403, -31403, null=True)
    assert "access-control-allow-origin" not in bad.fields


@pytest.mark.requirement("mcp-T3")
def test_a_body_over_the_limit_is_413_and_one_at_it_is_served(wire: Wire) -> None:
    declared = wire.raw(wire.lines(LIST, length=LIMIT + 1), b"x" * (LIMIT + 1))
    chunked = wire.raw(
        [*wire.lines(LIST), "transfer-encoding: chunked"],
        b"%x\r\n" % (LIMIT + 1) + b" " * (LIMIT + 1) + b"\r\n0\r\n\r\n",
    )
    for answer in (declared, chunked):
        refused(answer, 413, -31413, null=True)
        assert answer.fields["connection"] == "close"
        assert rates(answer)
    body = json.dumps(message(LIST, modern=wire.modern)).encode()
    assert "tools" in result(wire.send(body.ljust(LIMIT), wire.header(LIST)))
    padded = body.ljust(LIMIT)
    assert "tools" in result(
        wire.raw([*wire.lines(LIST), "transfer-encoding: chunked"], b"%x\r\n" % LIMIT + padded + b"\r\n0\r\n\r\n")
    )


@pytest.mark.requirement("mcp-T4")
def test_a_body_that_does_not_end_is_408_after_five_seconds(endpoint: Server) -> None:
    def slow(wire: Wire, host: str) -> Answer:
        lines = [line if not line.startswith("host:") else f"host: {host}" for line in wire.lines(LIST, length=100)]
        return wire.raw(lines, b'{"jsonrpc"')

    wires = [Wire(endpoint, path, era) for path in BOTH for era in (MODERN, "", HANDSHAKE[0])]
    with ThreadPoolExecutor(12) as pool:
        for answer in pool.map(slow, wires * 2, [HOST] * 6 + ["evil.example"] * 6):
            refused(answer, 408, -31408, null=True)
            assert answer.fields["connection"] == "close"


@pytest.mark.requirement("mcp-T5")
def test_one_message_over_the_limit_is_429(wire: Wire) -> None:
    client = wire.server.client()
    method = "server/discover" if wire.modern else "ping"
    for left in range(59, -1, -1):
        answer = wire.call(method, **client)
        assert (answer.status, answer.fields["ratelimit-remaining"]) == (200, str(left))
    answer = wire.call(method, id_="last", **client)
    error = refused(answer, 429, -31429, null=True)
    wait = int(answer.fields["retry-after"])
    assert (error["data"], 1 <= wait <= 60) == ({"retryAfter": wait, "limit": 60, "cost": 1}, True)
    assert (answer.fields["ratelimit"], answer.fields["ratelimit-policy"]) == (f'"mcp";r=0;t={wait}', '"mcp";q=60;w=60')
    assert answer.fields["ratelimit-reset"] == str(wait)


@pytest.mark.requirement("mcp-T5")
def test_a_batch_counts_its_messages_and_one_that_is_refused_counts_once(older: Wire) -> None:
    client = older.server.client()
    batch = [message("ping", id_=number) for number in range(10)]
    for left in (50, 40, 30, 20, 10):
        assert older.send(batch, **client).fields["ratelimit-remaining"] == str(left)
    assert older.call("ping", **client).fields["ratelimit-remaining"] == "9"
    answer = older.send(batch, **client)
    assert refused(answer, 429, -31429, null=True)["data"]["cost"] == 10
    assert answer.fields["ratelimit-remaining"] == "8"
    assert older.send(batch[:8], **client).status == 200
    for costing_one in (b"", b"[]", [*batch, *batch], [], {"no": "message"}):
        assert older.send(costing_one, **client).status == 429
    assert older.server.ask(older.path, "OPTIONS", **client).status == 204


@pytest.mark.requirement("mcp-T6")
@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example"])
def test_a_foreign_host_is_421(wire: Wire, host: str) -> None:
    refused(wire.call(LIST, host=host), 421, -31421, null=True)


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_a_page_that_rebinds_its_name_to_this_server_is_refused_by_its_host(wire: Wire, scheme: str) -> None:
    refused(wire.call(LIST, host="evil.example", origin=f"{scheme}://evil.example"), 421, -31421, null=True)


@pytest.mark.parametrize("host", ["", "a b"])
def test_a_host_that_is_none_is_400_before_any_message_is_read(wire: Wire, host: str) -> None:
    answer = wire.call(LIST, host=host)
    assert (answer.status, answer.fields["connection"]) == (400, "close")
    assert "one Host field" in answer.text


@pytest.mark.requirement("mcp-T6")
def test_an_absent_host_is_421_and_known_ones_are_served(wire: Wire) -> None:
    body = json.dumps(message(LIST, modern=wire.modern)).encode()
    lines = [line for line in wire.lines(LIST, length=len(body)) if not line.startswith("host:")]
    refused(wire.raw(lines, body, version="1.0"), 421, -31421, null=True)
    for host in ("localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:80", "other.example"):
        assert wire.call(LIST, host=host).status == 200


@pytest.mark.requirement("mcp-T7")
@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "garbage", "https://", "http://localhost.evil.example", "https://a, https://b", ""],
)
def test_a_refused_origin_is_403(wire: Wire, origin: str) -> None:
    answer = wire.call(LIST, origin=origin)
    refused(answer, 403, -31403, null=True)
    assert "access-control-allow-origin" not in answer.fields


@pytest.mark.requirement("mcp-T8")
@pytest.mark.parametrize(
    "origin", ["https://any.example", "http://localhost:6274", "http://[::1]:80", "http://127.0.0.1", "app://x"]
)
def test_an_allowed_origin_is_served_and_may_read_the_answer(wire: Wire, origin: str) -> None:
    answer = wire.call(LIST, origin=origin)
    assert (answer.status, answer.fields["access-control-allow-origin"]) == (200, "*")
    assert "RateLimit-Remaining" in answer.fields["access-control-expose-headers"]
    assert wire.send(b"no json", origin=origin).fields["access-control-allow-origin"] == "*"


@pytest.mark.requirement("mcp-T9")
@pytest.mark.parametrize("accept", ["text/html", "application/json;q=0", "application/json; q=0.000, image/*"])
def test_an_accept_field_without_json_is_406(wire: Wire, accept: str) -> None:
    refused(wire.call(LIST, accept=accept), 406, -31406, null=True)


@pytest.mark.requirement("mcp-T10")
@pytest.mark.parametrize(
    "accept", [None, "", "*/*", "application/json", "application/*;q=0.1", "application/json, text/event-stream"]
)
def test_an_accept_field_with_json_is_served_as_json(wire: Wire, accept: str | None) -> None:
    answer = wire.call(LIST, accept=accept)
    assert (answer.status, answer.type, answer.fields["x-content-type-options"]) == (200, "application/json", "nosniff")
    assert 'rel="deprecation"' in answer.fields["link"]
    assert rates(answer)


@pytest.mark.requirement("mcp-T11")
@pytest.mark.parametrize("kind", [None, "text/plain", "application/json; charset=latin1", "application/jsonx", ""])
def test_another_content_type_is_415(wire: Wire, kind: str | None) -> None:
    refused(wire.call(LIST, content_type=kind), 415, -31415, null=True)


@pytest.mark.requirement("mcp-T11")
def test_a_content_coding_is_415(wire: Wire) -> None:
    refused(wire.call(LIST, content_encoding="gzip"), 415, -31415, null=True)
    for kind in ("application/json;charset=utf-8", 'Application/JSON; charset="UTF-8"'):
        assert wire.call(LIST, content_type=kind, content_encoding="identity").status == 200


@pytest.mark.requirement("mcp-T12")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b'{"jsonrpc"',
        b'{"a": "\xff"}',
        b"\xef\xbb\xbf{}",
        b"NaN",
        b"[" * 100_000,
        b'{"a":' * 2000 + b"1" + b"}" * 2000,
        b'"\\ud800"',
    ],
)
def test_a_body_that_is_no_json_is_400(wire: Wire, body: bytes) -> None:
    refused(wire.send(body), 400, -32700, null=True)


def test_a_message_that_names_a_member_twice_is_400_whatever_it_asks(wire: Wire) -> None:
    arguments = b'{"query":"a","query":"b"}'
    params = b'{"name":"search_archive","arguments":' + arguments + b"}"
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + params + b"}"
    answer = wire.send(body)
    refused(answer, 400, -32700, null=True)
    assert "params.arguments.query is given more than once" in answer.text
    refused(wire.send(b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'), 400, -32700, null=True)
    deep = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 300 + b"1" + b"}" * 301
    refused(wire.send(deep), 400, -32700, null=True)


@pytest.mark.requirement("mcp-T13")
def test_a_session_is_ignored_and_not_echoed(wire: Wire) -> None:
    answer = wire.call(LIST, mcp_session_id="abc", last_event_id="7")
    assert answer.status == 200
    assert "mcp-session-id" not in answer.fields


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with endpoint_running(tmp_path_factory.mktemp("empty"), empty=True) as server:
        yield server


@pytest.mark.requirement("mcp-T14")
@pytest.mark.parametrize("era", [MODERN, "", HANDSHAKE[0]])
def test_without_an_edition_it_is_503(empty: Server, path: str, era: str) -> None:
    answer = Wire(empty, path, era).call(LIST, id_="x")
    refused(answer, 503, -31503, id_="x")
    assert answer.fields["retry-after"] == "1"


@pytest.mark.requirement("mcp-B1")
def test_a_batch_is_answered_in_order(older: Wire) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    batch = [
        message("ping", id_="a"),
        note,
        message(LIST, id_=2),
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        message("nope", id_="c"),
    ]
    answer = older.send(batch)
    assert answer.status == 200
    assert [reply["id"] for reply in answer.json()] == ["a", 2, "c"]
    assert answer.json()[2]["error"]["code"] == -32601
    assert len(older.send([message("ping", id_=number) for number in range(10)]).json()) == 10
    silent = older.send([note, {"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "x"}}])
    assert (silent.status, silent.body, rates(silent)) == (202, b"", True)


@pytest.mark.requirement("mcp-B2")
@pytest.mark.parametrize("count", [0, 11, 200])
def test_an_empty_or_long_batch_is_refused(wire: Wire, count: int) -> None:
    refused(wire.send([message("ping", id_=number) for number in range(count)]), 400, -32600, null=True)


@pytest.mark.requirement("mcp-B3")
@pytest.mark.parametrize("version", [MODERN, "banana", "2099-01-01"])
def test_the_modern_revision_has_no_batches(modern: Wire, version: str) -> None:
    refused(modern.send([message("ping")], mcp_protocol_version=version), 400, -32600, null=True)


@pytest.mark.requirement("mcp-B4")
def test_what_must_come_alone_is_refused_in_a_batch(older: Wire) -> None:
    batch = [
        message(LIST, modern=True, id_=1),
        message("initialize", {"protocolVersion": HANDSHAKE[0]}, id_=2),
        message("ping", id_=3),
    ]
    answer = older.send(batch)
    assert answer.status == 200
    assert [(reply["id"], reply.get("error", {}).get("code")) for reply in answer.json()] == [
        (1, -32600),
        (2, -32600),
        (3, None),
    ]


@pytest.mark.requirement("mcp-B5")
def test_what_is_no_message_is_refused_in_its_place(older: Wire) -> None:
    answer = older.send([1, [message("ping")], message("ping", id_=3), {"jsonrpc": "1.0", "id": 4, "method": "ping"}])
    assert answer.status == 200
    assert [(reply["id"], reply.get("error", {}).get("code")) for reply in answer.json()] == [
        (None, -32600),
        (None, -32600),
        (3, None),
        (None, -32600),
    ]


NO_MESSAGE: list[Any] = [
    1,
    "x",
    None,
    True,
    {},
    {"jsonrpc": "1.0", "id": 1, "method": "ping"},
    {"id": 1, "method": "ping"},
    {"jsonrpc": 2.0, "id": 1, "method": "ping"},
    {"jsonrpc": "2.0", "id": 1},
    {"jsonrpc": "2.0", "id": 1, "method": 5},
    {"jsonrpc": "2.0", "id": 1, "method": None, "result": {}},
    *({"jsonrpc": "2.0", "id": id_, "method": "ping"} for id_ in (None, True, 1.5, 1.0, {}, [], 2**70)),
]


@pytest.mark.requirement("mcp-M1")
@pytest.mark.parametrize("body", NO_MESSAGE)
def test_what_is_no_message_is_400(wire: Wire, body: Any) -> None:
    refused(wire.send(body), 400, -32600, null=True)


@pytest.mark.requirement("mcp-M2")
@pytest.mark.parametrize(
    "method", ["notifications/initialized", "notifications/cancelled", "tools/call", "nope", "initialize"]
)
def test_a_notification_is_taken_and_not_answered(wire: Wire, method: str) -> None:
    for body in (
        {"jsonrpc": "2.0", "method": method},
        {"jsonrpc": "2.0", "method": method, "params": {"_meta": envelope()}},
    ):
        answer = wire.send(body, wire.header(method))
        assert (answer.status, answer.body, rates(answer)) == (202, b"", True)


@pytest.mark.requirement("mcp-M3")
@pytest.mark.parametrize("body", [{"result": {}}, {"error": {"code": 1, "message": "x"}}])
def test_a_response_is_refused_by_the_modern_revision_alone(wire: Wire, body: dict[str, Any]) -> None:
    answer = wire.send({"jsonrpc": "2.0", "id": 7, **body})
    if wire.modern:
        refused(answer, 400, -32600, null=True)
    else:
        assert (answer.status, answer.body) == (202, b"")


def test_ids_come_back_as_they_were(wire: Wire) -> None:
    for id_ in ("", "x" * 300, 0, -5, 2**53, "ü\u2028"):
        assert "tools" in result(wire.call(LIST, id_=id_), id_)
