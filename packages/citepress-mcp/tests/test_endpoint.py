"""Decoding, dispatch without a wire, standard input and output, and what a call costs."""

import asyncio
import base64
import io
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citepress.contract.limits import Limit
from citepress.http.body import is_json
from citepress.http.message import Request
from citepress.operations import OperationContext
from citepress.stores.local.counters import LocalCounters
from citepress_mcp import cursors, jsonrpc
from citepress_mcp.endpoint import Endpoint
from citepress_mcp.stdio import converse
from citepress_mcp.transport import HostPolicy, MismatchRule, Transport, cap_of
from citepress_mcp.versions import TransportHeaders
from support.calls import calls
from support.mcp_endpoint import HANDSHAKE, MODERN, EndpointClient, fields, message, offer

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
METHODS = (
    "tools/list",
    "tools/call",
    "resources/read",
    "prompts/get",
    "completion/complete",
    "initialize",
    "ping",
    "server/discover",
    "skills/get",
    "nope",
)
ALMOST = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | JSON, "method": st.sampled_from(METHODS) | JSON},
    optional={
        "id": st.integers(0, 9) | JSON,
        "params": JSON
        | st.dictionaries(
            st.sampled_from(["name", "arguments", "uri", "cursor", "ref", "argument", "_meta", "protocolVersion"]),
            JSON | st.sampled_from(["get_record", "verify_a_claim"]),
        ),
    },
)


@given(st.binary(max_size=300) | JSON.map(lambda value: json.dumps(value).encode()))
def test_decoding_raises_nothing(body: bytes) -> None:
    value = jsonrpc.decode(body)
    assert isinstance(value, jsonrpc.Unreadable) or json.dumps(value)


@settings(deadline=None)
@given(ALMOST | JSON, st.sampled_from([MODERN, "", *HANDSHAKE, "banana"]))
def test_every_message_gets_an_answer_or_needs_none(asker: EndpointClient, body: Any, version: str) -> None:
    reply = asker.reply(
        body,
        TransportHeaders(
            version or None,
            body.get("method") if isinstance(body, dict) and isinstance(body.get("method"), str) else None,
        ),
    )
    faults = asker.endpoint.faults
    if reply is not None:
        assert reply["jsonrpc"] == "2.0"
        assert ("result" in reply) != ("error" in reply)
    assert faults == 0


@given(st.text(max_size=60), st.integers(0, 10**9))
def test_cursors_survive_or_are_refused(text: str, offset: int) -> None:
    cursor = cursors.Cursor("0123abcd", offset, "89abcdef")
    assert cursors.read_cursor(cursors.write(cursor), "0123abcd") == cursor
    assert cursors.read_cursor(cursors.write(cursor), "0123abce") is None
    assert cursors.read_cursor(text, "0123abcd") is None or base64.urlsafe_b64decode(text + "==").startswith(
        b"0123abcd."
    )


@pytest.mark.parametrize(
    ("query", "cap"),
    [
        (b"", 0),
        (b"maxTokenBudget=200", 200),
        (b"x=1&maxTokenBudget=8000", 8000),
        (b"maxTokenBudget=199", 0),
        (b"maxTokenBudget=8001", 0),
        (b"maxTokenBudget=", 0),
        (b"maxTokenBudget=abc", 0),
        (b"maxTokenBudget=300&maxTokenBudget=400", 0),
        (b"maxTokenBudget=%B2%B3", 0),
        (b"a" * 5000, 0),
    ],
)
def test_the_budget_of_an_address_is_read_or_ignored(query: bytes, cap: int) -> None:
    assert cap_of(query) == cap


@given(st.binary(max_size=80))
def test_header_values_of_any_kind_are_judged(value: bytes) -> None:
    rules = HostPolicy("https://archive.test")
    assert {is_json(value), rules.host(value), rules.origin(value)} <= {True, False}


def spoken(here: OperationContext, *lines: bytes) -> list[Any]:
    """What a conversation over standard input and output gives."""
    out = io.BytesIO()
    converse(Endpoint(offer(), lambda: here), io.BytesIO(b"".join(lines)), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def line(method: str, params: Any = None, **options: Any) -> bytes:
    return json.dumps(message(method, params, **options)).encode() + b"\n"


def test_lines_are_answered_in_order_and_bad_ones_too(here: OperationContext) -> None:
    replies = spoken(
        here,
        b"no json\n",
        b"\n",
        line("tools/list", id_="a"),
        b'{"jsonrpc":"2.0","method":"notifications/cancelled"}\r\n',
        b"5\n",
        b'"' + b"x" * 300_000 + b'"\n',
        line("nope", id_="b"),
        json.dumps([message("ping", id_=1), message("ping", id_=2)]).encode() + b"\n",
        b"[]\n",
        line("ping", id_="last").rstrip(b"\n"),
    )
    assert [(reply[0] if isinstance(reply, list) else reply).get("id") for reply in replies] == [
        None,
        "a",
        None,
        None,
        "b",
        1,
        None,
        "last",
    ]
    assert [reply["error"]["code"] for reply in replies if isinstance(reply, dict) and "error" in reply] == [
        -32700,
        -32600,
        -31413,
        -32601,
        -32600,
    ]


def test_a_line_that_repeats_a_name_is_refused_with_its_place(here: OperationContext) -> None:
    (reply,) = spoken(here, b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"a","cursor":"b"}}\n')
    assert reply["error"] == {
        "code": -32700,
        "message": "The line repeats a member: params.cursor is given more than once; keep one of them",
    }


def test_a_line_at_the_limit_is_answered(here: OperationContext) -> None:
    assert "result" in spoken(here, line("tools/list").rstrip(b"\n").ljust(262_144) + b"\n")[0]
    assert (
        spoken(here, line("tools/list").rstrip(b"\n").ljust(262_145, b"\t") + b"\n" + line("tools/list", id_=2))[0][
            "error"
        ]["code"]
        == -31413
    )


def test_a_conversation_keeps_the_revision_that_initialize_settled_on(here: OperationContext) -> None:
    record = {"name": "get_record", "arguments": {"id": "posts/one"}}
    replies = spoken(
        here,
        line("tools/call", record),
        line("initialize", {"protocolVersion": "2024-11-05"}),
        line("tools/call", record),
        line("tools/call", record, modern=True),
        line("initialize", {"protocolVersion": "x"}),
        line("tools/call", record),
    )
    assert ["structuredContent" in reply["result"] for reply in replies] == [True, False, False, True, False, True]
    assert ["resultType" in reply["result"] for reply in replies] == [False, False, False, True, False, False]
    assert [replies[1]["result"]["protocolVersion"], replies[4]["result"]["protocolVersion"]] == [
        "2024-11-05",
        "2025-11-25",
    ]


def test_without_an_edition_a_conversation_is_told_so() -> None:
    out = io.BytesIO()
    converse(Endpoint(offer(), lambda: None), io.BytesIO(line("ping", id_=7)), out)
    assert (json.loads(out.getvalue())["id"], json.loads(out.getvalue())["error"]["code"]) == (7, -31503)


def posting(
    here: OperationContext, body: Any, method: str, params: Any = None, *, modern: bool = False
) -> Callable[[], Awaitable[Any]]:
    """A POST through the transport."""
    counters, limit = LocalCounters(), Limit("mcp", 1000, 60)
    transport = Transport(
        Endpoint(offer(), lambda: here),
        counters,
        limit,
        lambda peer, _fields: peer,
        HostPolicy("https://archive.test"),
        "https://archive.test",
    )
    raw = json.dumps(body).encode()
    header = [
        (name.encode(), value.encode())
        for name, value in {"host": "archive.test", **fields(method, params, modern=modern)}.items()
    ]

    class Arrived:
        """A body that came with its header, as the built-in server receives nearly all."""

        whole = raw

        async def __call__(self) -> dict[str, Any]:
            return {"type": "http.request", "body": raw, "more_body": False}

    async def work() -> Any:
        reply = await transport(Request("POST", b"/mcp", b"", header, "203.0.113.1"), Arrived())
        assert reply.status == 200
        assert b'"error"' not in bytes(reply.body)[:200]

    return work


def test_a_client_over_its_limit_is_refused_before_its_body_is_read(here: OperationContext) -> None:
    bodies = [b'{"jsonrpc":"2.0","id":1,"method":"ping"}']
    transport = Transport(
        Endpoint(offer(), lambda: here),
        LocalCounters(),
        Limit("mcp", 1, 60),
        lambda peer, _fields: peer,
        HostPolicy("https://archive.test"),
        "https://archive.test",
    )

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": bodies.pop(), "more_body": False}

    async def statuses() -> list[int]:
        header = [(name.encode(), value.encode()) for name, value in {"host": "archive.test", **fields("ping")}.items()]
        request = Request("POST", b"/mcp", b"", header, "203.0.113.1")
        return [(await transport(request, receive)).status for _ in range(3)]

    assert asyncio.run(statuses()) == [200, 429, 429]


READY_CALL = {"name": "fixture_ready", "arguments": {"query": "x"}}


@pytest.mark.parametrize(
    ("method", "params", "modern", "most"),
    [
        ("tools/call", READY_CALL, True, 49),
        ("tools/call", READY_CALL, False, 47),
        ("tools/list", {}, True, 32),
        ("tools/list", {}, False, 30),
        ("ping", {}, False, 29),
        ("resources/list", {}, True, 32),
    ],
)
def test_a_request_keeps_its_call_budget(
    here: OperationContext, method: str, params: Any, modern: bool, most: int
) -> None:
    assert calls(posting(here, message(method, params, modern=modern), method, params, modern=modern)) <= most


def test_a_batch_of_ten_calls_keeps_its_call_budget(here: OperationContext) -> None:
    batch = [message("tools/call", READY_CALL, id_=number) for number in range(10)]
    assert calls(posting(here, batch, "tools/call")) <= 250


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("search_archive", {"query": "agents"}), ("get_record", {"id": "posts/one"}), ("whats_new", {"limit": 5})],
)
def test_the_door_adds_little_to_a_real_tool(here: OperationContext, name: str, arguments: dict[str, Any]) -> None:
    params = {"name": name, "arguments": arguments}
    assert (
        calls(
            posting(here, message("tools/call", params, modern=True), "tools/call", params, modern=True),
            "/citepress_mcp/",
        )
        <= 60
    )


def test_a_contradicting_version_header_is_counted_and_may_be_refused(here: OperationContext) -> None:
    body = json.dumps(message("tools/list", {}, modern=True)).encode()

    def status(version: str, rule: MismatchRule) -> int:
        header = {"host": "archive.test", **fields("tools/list", {}, modern=True), "mcp-protocol-version": version}
        transport = Transport(
            Endpoint(offer(), lambda: here),
            LocalCounters(),
            Limit("mcp", 60, 60),
            lambda peer, _fields: peer,
            HostPolicy("https://archive.test"),
            "https://archive.test",
            rule,
        )
        lines = [(name.encode(), value.encode()) for name, value in header.items()]

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        return asyncio.run(transport(Request("POST", b"/mcp", b"", lines, "203.0.113.1"), receive)).status

    counted: list[int] = []
    lenient, strict = MismatchRule(True, lambda: counted.append(1)), MismatchRule(False, lambda: counted.append(1))
    assert [status(version, lenient) for version in (MODERN, "2025-11-25", f"{MODERN}, {MODERN}")] == [200] * 3
    assert [status(version, strict) for version in (MODERN, "2025-11-25")] == [200, 400]
    assert len(counted) == 1
