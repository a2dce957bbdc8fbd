"""The status and error matrix of the MCP endpoint, rows M4 to M24, in every revision and on both paths."""

import base64
from collections.abc import Iterator
from typing import Any

import pytest

from citepress_mcp import cursors
from citepress_mcp.cursors import Cursor
from citepress_mcp.versions import MCP_REVISIONS
from support.mcp_endpoint import (
    BOTH,
    CAPABILITIES,
    CLIENT,
    HANDSHAKE,
    MODERN,
    VERSION,
    Wire,
    endpoint_running,
    envelope,
    message,
    refused,
    result,
)
from support.running_server import Server

LIST, CALL, READ, GET = "tools/list", "tools/call", "resources/read", "prompts/get"
SEARCH = {"name": "search_archive", "arguments": {"query": "agents"}}
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")


def status(wire: Wire, modern: int) -> int:
    """Errors of the handshake revisions are always 200."""
    return modern if wire.modern else 200


@pytest.mark.requirement("mcp-M4")
@pytest.mark.parametrize("params", [[], [1], "x", 5, True, None])
@pytest.mark.parametrize("method", [LIST, CALL])
def test_params_that_are_no_object_are_invalid(wire: Wire, method: str, params: Any) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    refused(wire.send(body, wire.header(method)), status(wire, 400), -32602)


@pytest.mark.requirement("mcp-M5")
@pytest.mark.parametrize("method", ["nope", "", "tools/List", "initialized", "notifications/initialized", "x" * 10_000])
def test_an_unknown_method_is_not_found(wire: Wire, method: str) -> None:
    assert len(refused(wire.call(method), status(wire, 404), -32601)["message"]) < 200


@pytest.mark.requirement("mcp-M6")
def test_initialize_and_ping_belong_to_the_older_revisions(wire: Wire) -> None:
    answers = [wire.call("ping"), wire.call("initialize", {"protocolVersion": HANDSHAKE[0]})]
    if wire.modern:
        for answer in answers:
            refused(answer, 404, -32601)
    else:
        assert result(answers[0]) == {}
        assert result(answers[1])["protocolVersion"] == HANDSHAKE[0]


@pytest.mark.requirement("mcp-M7")
@pytest.mark.parametrize(
    "method",
    [
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/get",
        "tasks/list",
        "subscriptions/listen",
    ],
)
def test_what_is_not_declared_is_not_found(wire: Wire, method: str) -> None:
    refused(wire.call(method, {}), status(wire, 404), -32601)


@pytest.mark.requirement("mcp-M8")
@pytest.mark.parametrize("method", ["server/discover", "skills/list", "skills/get"])
def test_modern_methods_need_the_envelope(wire: Wire, method: str) -> None:
    answer = wire.call(method, {"uri": "skill://verify-a-claim/SKILL.md"})
    if wire.modern:
        assert result(answer)["ttlMs"] == 3_600_000
    else:
        assert "params._meta" in refused(answer, 200, -32601)["message"]


@pytest.mark.requirement("mcp-M9")
@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        {"_meta": {}},
        {"_meta": 5},
        {"_meta": {VERSION: MODERN}},
        {"_meta": {VERSION: 5, CAPABILITIES: {}}},
        {"_meta": {VERSION: None, CAPABILITIES: {}}},
        {"_meta": {VERSION: MODERN, CAPABILITIES: []}},
    ],
)
def test_an_incomplete_envelope_is_invalid(modern: Wire, params: Any) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": LIST, **({} if params is None else {"params": params})}
    assert "io.modelcontextprotocol/" in refused(modern.send(body, modern.header(LIST)), 400, -32602)["message"]


@pytest.mark.requirement("mcp-M10")
@pytest.mark.parametrize("version", [None, "", "banana", "2099-01-01", f"{MODERN}, {HANDSHAKE[0]}"])
def test_a_version_header_that_contradicts_the_envelope_is_refused(modern: Wire, version: str | None) -> None:
    refused(modern.call(LIST, mcp_protocol_version=version), 400, -32020)


@pytest.mark.requirement("mcp-M10")
@pytest.mark.parametrize("version", HANDSHAKE)
def test_the_envelope_holds_where_the_header_names_an_older_version(modern: Wire, version: str) -> None:
    """Connectors of a large vendor send this, without the fields that the older version does not have."""
    params = {"name": "search_archive", "arguments": {"query": "agents"}}
    lone = modern.call(CALL, params, mcp_protocol_version=version, mcp_method=None, mcp_name=None)
    assert result(lone) == result(modern.call(CALL, params))
    assert result(modern.call(CALL, params, mcp_protocol_version=version)) == result(lone)
    refused(modern.call(CALL, params, mcp_protocol_version=version, mcp_method=LIST), 400, -32020)
    refused(modern.call(CALL, params, mcp_protocol_version=version, mcp_name="other"), 400, -32020)


@pytest.mark.requirement("mcp-M10")
@pytest.mark.requirement("mcp-M11")
@pytest.mark.requirement("mcp-M12")
@pytest.mark.parametrize("name", ["mcp-protocol-version", "mcp-method", "mcp-name"])
def test_a_header_may_be_repeated_with_the_same_value(modern: Wire, name: str) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"%b":"%b","%b":{}}}}' % (
        VERSION.encode(),
        MODERN.encode(),
        CAPABILITIES.encode(),
    )
    lines = modern.lines(CALL, {"name": "x"}, length=len(body))
    refused(modern.raw(lines, body), 400, -32602)
    again = next(line for line in lines if line.startswith(f"{name}:"))
    joined = [f"{line}, {again.partition(': ')[2]}" if line == again else line for line in lines]
    for repeated in ([*lines, again], joined):
        refused(modern.raw(repeated, body), 400, -32602)
    refused(modern.raw([*lines, f"{name}: other"], body), 400, -32020)


@pytest.mark.requirement("mcp-M11")
@pytest.mark.parametrize("method", [None, "", "tools/List", "tools/call", "TOOLS/LIST"])
def test_the_method_header_must_name_the_method(wire: Wire, method: str | None) -> None:
    answer = wire.call(LIST, mcp_method=method)
    if wire.modern:
        refused(answer, 400, -32020)
    else:
        assert "tools" in result(answer)


@pytest.mark.requirement("mcp-M12")
@pytest.mark.parametrize("name", [None, "", "other", "=?base64?!!?=", "=?base64?/w==?=", "=?base64?b3RoZXI=?="])
@pytest.mark.parametrize("method", [CALL, READ, GET])
def test_the_name_header_must_name_the_target(wire: Wire, method: str, name: str | None) -> None:
    params = {"name": "nope", "uri": "nope:x"}
    answer = wire.call(method, params, mcp_name=name)
    code = -32020 if wire.modern else -32002 if method == READ else -32602
    refused(answer, status(wire, 400), code)


@pytest.mark.requirement("mcp-M13")
def test_an_encoded_name_and_odd_spacing_are_read(wire: Wire) -> None:
    name = base64.b64encode(SEARCH["name"].encode()).decode()
    assert result(wire.call(CALL, SEARCH, mcp_name=f"=?base64?{name}?="))["isError"] is False
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"%b":"%b","%b":{}}}}' % (
        VERSION.encode(),
        MODERN.encode(),
        CAPABILITIES.encode(),
    )
    plain = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    sent = body if wire.modern else plain
    lines = [
        f"{line.partition(':')[0].upper()}: \t {line.partition(': ')[2]}\t "
        for line in wire.lines(LIST, length=len(sent))
    ]
    assert "tools" in result(wire.raw(lines, sent))


@pytest.mark.requirement("mcp-M14")
@pytest.mark.parametrize("version", ["2099-01-01", "", *HANDSHAKE])
def test_a_version_that_envelope_and_header_agree_on_must_be_the_modern_one(modern: Wire, version: str) -> None:
    body = message(LIST)
    body["params"] = {"_meta": envelope(**{VERSION: version})}
    error = refused(modern.send(body, modern.header(LIST), mcp_protocol_version=version), 400, -32022)
    assert error["data"] == {"supported": list(MCP_REVISIONS), "requested": version}


@pytest.mark.requirement("mcp-M15")
@pytest.mark.parametrize("version", ["banana", "1999-01-01", "2025-06-18, 2024-11-05", ""])
def test_an_unknown_version_header_is_refused(modern: Wire, version: str) -> None:
    answer = modern.send(message(LIST), mcp_protocol_version=version)
    assert refused(answer, 400, -32022)["data"] == {"supported": list(MCP_REVISIONS), "requested": version}


@pytest.mark.requirement("mcp-M15")
@pytest.mark.parametrize("version", ["2099-01-01", "2025-11-25, 2025-11-25"])
def test_a_newer_or_repeated_version_header_is_answered_as_initialize_would(modern: Wire, version: str) -> None:
    answer = modern.send(message(LIST), mcp_protocol_version=version)
    assert result(answer) == result(modern.send(message(LIST), mcp_protocol_version="2025-11-25"))


@pytest.mark.requirement("mcp-M16")
def test_what_need_not_be_there_may_be_missing_and_what_is_unknown_is_passed_over(wire: Wire) -> None:
    params = {**SEARCH, "inputResponses": {"a": 1}, "requestState": "x", "unknown": [1]}
    assert result(wire.call(CALL, params))["isError"] is False
    if wire.modern:
        body = message(LIST)
        body["params"] = {"_meta": {name: value for name, value in envelope().items() if name != CLIENT}}
        assert "tools" in result(wire.send(body, wire.header(LIST)))


@pytest.mark.requirement("mcp-M17")
@pytest.mark.parametrize("version", [*HANDSHAKE, "1999-01-01", "banana", MODERN, ""])
def test_initialize_settles_on_a_version_whatever_the_header_says(older: Wire, version: str) -> None:
    settled = version if version in HANDSHAKE else "2025-11-25"
    for header in (None, version, "banana", MODERN):
        answer = older.call("initialize", {"protocolVersion": version, "capabilities": {}}, mcp_protocol_version=header)
        assert result(answer)["protocolVersion"] == settled


@pytest.mark.requirement("mcp-M18")
@pytest.mark.parametrize("params", [{}, {"protocolVersion": 5}, {"protocolVersion": None}])
def test_initialize_without_a_version_is_invalid(older: Wire, params: dict[str, Any]) -> None:
    refused(older.call("initialize", params), 200, -32602)


@pytest.mark.requirement("mcp-M19")
@pytest.mark.parametrize(
    "params",
    [
        {"name": "nope", "arguments": {}},
        {"arguments": {}},
        {"name": 5},
        {**SEARCH, "arguments": []},
        {**SEARCH, "arguments": "x"},
        {**SEARCH, "arguments": None},
    ],
)
def test_a_call_of_no_tool_is_invalid(wire: Wire, params: dict[str, Any]) -> None:
    refused(wire.call(CALL, params), status(wire, 400), -32602)


@pytest.mark.requirement("mcp-M20")
@pytest.mark.parametrize(
    ("tool", "arguments", "word"),
    [
        ("search_archive", {}, "invalid_argument:"),
        ("search_archive", {"query": "x", "kinds": ["post"]}, "invalid_argument:"),
        ("get_record", {"id": "posts/unknown"}, "not_found:"),
        ("get_record", {"id": "posts/one", "sections": ["nope"]}, "not_found:"),
        ("search_archive", {"query": "x", "cursor": "nope"}, "bad_cursor:"),
        ("submit_source", {"url": "http://x", "reason": "no"}, "invalid_argument:"),
    ],
)
def test_a_tool_says_no_in_its_result(wire: Wire, tool: str, arguments: dict[str, Any], word: str) -> None:
    outcome = result(wire.call(CALL, {"name": tool, "arguments": arguments}))
    assert (outcome["isError"], "structuredContent" in outcome) == (True, False)
    assert outcome["content"][0]["text"].startswith(word)


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with endpoint_running(tmp_path_factory.mktemp("narrow"), inbox=1) as server:
        yield server


@pytest.mark.requirement("mcp-M20")
@pytest.mark.parametrize("era", [MODERN, "", HANDSHAKE[0]])
def test_a_used_up_inbox_quota_is_told_in_the_result(narrow: Server, path: str, era: str) -> None:
    wire, client = Wire(narrow, path, era), narrow.client()
    outcomes = [
        result(
            wire.call(
                CALL,
                {
                    "name": "submit_source",
                    "arguments": {"url": f"https://x.example/{path}{era}{number}", "reason": "It shows it."},
                },
                **client,
            )
        )
        for number in range(2)
    ]
    assert [outcome["isError"] for outcome in outcomes] == [False, True]
    assert outcomes[1]["content"][0]["text"].startswith("over_quota:")


@pytest.mark.requirement("mcp-M21")
@pytest.mark.parametrize(
    "uri",
    [
        "{base}/posts/none/",
        "{base}/posts/gone/",
        "{base}",
        "{base}/llms.txt?x=1",
        "{base}/../llms.txt",
        "ftp://127.0.0.1/llms.txt",
        "skill://nope/SKILL.md",
        "http://127.0.0.1:1/llms.txt",
        "https://other.example/llms.txt",
        "",
        "x",
        "{base}/%00lookup",
        "{base}/%ff",
        "http://[",
        "{base}/\u0000lookup",
    ],
)
def test_a_resource_that_cannot_be_read_is_not_found(wire: Wire, uri: str) -> None:
    wanted = uri.replace("{base}", f"http://127.0.0.1:{wire.server.port}")
    encoded = base64.b64encode(wanted.encode()).decode()
    error = refused(
        wire.call(READ, {"uri": wanted}, mcp_name=f"=?base64?{encoded}?="),
        status(wire, 400),
        -32602 if wire.modern else -32002,
    )
    assert error["data"]["uri"] == wanted


@pytest.mark.requirement("mcp-M22")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        (READ, {}),
        (READ, {"uri": 5}),
        (GET, {}),
        (GET, {"name": "nope"}),
        (GET, {"name": "verify_a_claim"}),
        (GET, {"name": "verify_a_claim", "arguments": []}),
        (GET, {"name": "verify_a_claim", "arguments": {"claim": 5}}),
        (GET, {"name": "verify_a_claim", "arguments": {"claim": "x" * 1001}}),
        (GET, {"name": "verify_a_claim", "arguments": {"claim": "so it is", "url": "http://x.example"}}),
        ("completion/complete", {}),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "nope"}, "argument": {"name": "x", "value": ""}},
        ),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "verify_a_claim"}, "argument": {"name": "nope", "value": ""}},
        ),
        (
            "completion/complete",
            {"ref": {"type": "ref/resource", "uri": "x:{slug}"}, "argument": {"name": "slug", "value": ""}},
        ),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": "verify_a_claim"}, "argument": {"name": "claim", "value": 5}},
        ),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/prompt", "name": "verify_a_claim"},
                "argument": {"name": "claim", "value": "x" * 501},
            },
        ),
    ],
)
def test_wrong_parameters_are_invalid(wire: Wire, method: str, params: dict[str, Any]) -> None:
    refused(wire.call(method, params), status(wire, 400), -32602)


@pytest.mark.requirement("mcp-M23")
@pytest.mark.parametrize("method", LISTS)
def test_a_cursor_of_elsewhere_is_invalid(wire: Wire, method: str) -> None:
    other = next(name for name in LISTS if name != method)
    of_resources = cursors.write(Cursor(cursors.tag(b"resources/list"), 100, "0" * 8))
    wrong: list[Any] = ["x", 5, {}, "é", "A" * 300, f"{method}.0.0", cursors.write(Cursor("0" * 8, 100, "0" * 8))]
    for cursor in [*wrong, *([of_resources] if method != "resources/list" else [])]:
        assert refused(wire.call(method, {"cursor": cursor}), status(wire, 400), -32602)["message"] == "Invalid cursor"
    assert "resources" in result(wire.call("resources/list", {"cursor": of_resources}))
    assert result(wire.call(other, {})) == result(wire.call(other, {"cursor": ""}))


@pytest.mark.requirement("mcp-M24")
def test_an_unforeseen_fault_tells_nothing_of_itself(wire: Wire) -> None:
    error = refused(wire.call(CALL, {"name": "fixture_break", "arguments": {}}), 200, -32603)
    assert error == {"code": -32603, "message": "Internal error"}


def test_both_paths_answer_alike(endpoint: Server) -> None:
    for era in (MODERN, "", *HANDSHAKE):
        lists = [result(Wire(endpoint, path, era).call(LIST)) for path in BOTH]
        assert lists[0] == lists[1]
