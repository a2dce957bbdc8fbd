from collections.abc import Callable
from typing import Any

import pytest

from citepress.base import outgoing
from citepress_payments.chains import jsonrpc
from citepress_payments.chains.jsonrpc import DisagreementError, RefusedError, Rpc, UnreachableError
from support.fake_http_server import Answer, answering, jsonly, rpc

NOWHERE = "http://127.0.0.1:9"
BAD: dict[str, Callable[[bytes], Answer]] = {
    "html": lambda _: Answer(b"<html>"),
    "500": lambda _: Answer(b"{}", 500),
    "429": lambda _: Answer(b'{"message":"slow down"}', 429),
    "a list": lambda _: jsonly([1]),
    "another id": lambda _: jsonly({"jsonrpc": "2.0", "id": 99, "result": "0x1"}),
    "no result": lambda _: jsonly({"jsonrpc": "2.0", "id": 1}),
    "too long": lambda _: Answer(b'"' + b"x" * (jsonrpc.MAX_RPC_BYTES + 1) + b'"'),
    "broken off": lambda _: Answer(b'{"jsonrpc":"2.0","id":1,"result":"0x1"}', length=400),
    "deep": lambda _: Answer(b"[" * 100_000),
    "no bytes": lambda _: Answer(b""),
    "another shape": lambda body: rpc(body, lambda *_: {"number": 1}),
    "a rate limit": lambda body: rpc(body, _limited),
}


def _limited(*_: Any) -> Any:
    raise RuntimeError("too many requests")


def number(value: Any) -> int:
    return int(value, 16)


def constant_answer(_method: str, _params: list[Any]) -> str:
    return "0x1"


@pytest.mark.parametrize("name", BAD)
def test_a_node_that_answers_badly_is_passed_over(name: str) -> None:
    with (
        answering(lambda _, body: BAD[name](body)) as bad,
        answering(lambda _, body: rpc(body, constant_answer)) as good,
    ):
        assert Rpc([bad, good]).agreed(number, "eth_chainId") == 1
        with pytest.raises(UnreachableError) as error:
            Rpc([bad]).agreed(number, "eth_chainId")
    assert "127.0.0.1" in str(error.value)


def test_redirects_are_not_followed() -> None:
    requests = []

    def elsewhere(_path: str, body: bytes) -> Answer:
        requests.append(body)
        return rpc(body, constant_answer)

    with (
        answering(elsewhere) as target,
        answering(lambda *_: Answer(b"{}", 308, {"Location": target})) as bad,
        pytest.raises(UnreachableError),
    ):
        Rpc([bad]).agreed(number, "eth_chainId")
    assert requests == []


@pytest.mark.parametrize("answer", [Answer(b"{}", wait=2), Answer(b" " * 200, drip=0.02)], ids=["slow", "dripping"])
def test_a_slow_answer_ends_in_time(monkeypatch: pytest.MonkeyPatch, answer: Answer) -> None:
    monkeypatch.setattr(jsonrpc, "RPC_TIMEOUT_S", 0.4)
    with answering(lambda *_: answer) as slow, pytest.raises(UnreachableError):
        Rpc([slow]).agreed(number, "eth_chainId")


def test_no_message_holds_an_address_with_its_key() -> None:
    with pytest.raises(UnreachableError) as error:
        Rpc(["http://127.0.0.1:9/v2/secret-key?apikey=hidden"]).first("eth_chainId")
    assert "secret-key" not in str(error.value)
    assert "hidden" not in str(error.value)


@pytest.mark.parametrize(
    "url",
    ["http://example.org", "http://10.0.0.1", "ftp://127.0.0.1", "https://", "https://a:b@example.org", "example.org"],
)
def test_only_tls_or_loopback(url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        Rpc([url])


@pytest.mark.parametrize(
    "url", ["https://example.org/key", "http://localhost:8545", "http://[::1]:8545", "http://127.0.0.2"]
)
def test_good_addresses(url: str) -> None:
    assert outgoing.check_address(url).hostname


def test_a_revert_is_an_answer_and_another_error_is_none() -> None:
    class RevertError(Exception):
        code = 3

    def reverts(*_: Any) -> Any:
        raise RevertError("execution reverted: no")

    with (
        answering(lambda _, body: rpc(body, reverts)) as node,
        answering(lambda _, body: rpc(body, constant_answer)) as other,
    ):
        with pytest.raises(RefusedError) as error:
            Rpc([node, other]).agreed(number, "eth_call")
        assert error.value.reverted
        with pytest.raises(DisagreementError):
            Rpc([node, other], 2).agreed(number, "eth_call")
        with pytest.raises(RefusedError):
            Rpc([node, node], 2).agreed(number, "eth_call")


def test_the_height_is_what_enough_nodes_reach() -> None:
    with (
        answering(lambda _, body: rpc(body, lambda *_: "0x9")) as ahead,
        answering(lambda _, body: rpc(body, lambda *_: "0x5")) as behind,
    ):
        assert Rpc([behind, ahead], 1).highest(number, int, "eth_blockNumber") == 9
        assert Rpc([behind, ahead], 2).highest(number, int, "eth_blockNumber") == 5
        with pytest.raises(UnreachableError):
            Rpc([behind, NOWHERE], 2).highest(number, int, "eth_blockNumber")


def test_one_connection_serves_many_questions_and_a_stale_one_is_replaced() -> None:
    calls: list[int] = []

    def count(_path: str, body: bytes) -> Answer:
        calls.append(len(calls))
        answer = rpc(body, constant_answer)
        return Answer(answer.body, 200, {"Connection": "close"} if len(calls) == 3 else {})

    with answering(count) as node:
        nodes = Rpc([node])
        for _ in range(6):
            assert nodes.first("eth_chainId") == "0x1"
        assert len(calls) == nodes.asked == 6


def test_what_is_sent_goes_to_every_node_and_one_is_enough() -> None:
    calls: list[str] = []

    def takes(method: str, _params: list[Any]) -> str:
        calls.append(method)
        return "0xab"

    with answering(lambda _, body: rpc(body, takes)) as node, answering(lambda _, body: rpc(body, _limited)) as full:
        assert Rpc([full, node, NOWHERE]).broadcast("eth_sendRawTransaction", "0x") == "0xab"
        with pytest.raises(RefusedError, match="too many"):
            Rpc([full, NOWHERE]).broadcast("eth_sendRawTransaction", "0x")
        with pytest.raises(UnreachableError):
            Rpc([NOWHERE]).broadcast("eth_sendRawTransaction", "0x")
    assert calls == ["eth_sendRawTransaction"]


def test_a_null_that_enough_nodes_answer_is_not_a_disagreement() -> None:
    with (
        answering(lambda _, body: rpc(body, lambda *_: None)) as empty,
        answering(lambda _, body: rpc(body, constant_answer)) as other,
    ):
        assert Rpc([empty, empty], 2).agreed(number, "eth_getTransactionReceipt") is None
        with pytest.raises(DisagreementError, match="do not agree on eth_getTransactionReceipt"):
            Rpc([empty, other], 2).agreed(number, "eth_getTransactionReceipt")
