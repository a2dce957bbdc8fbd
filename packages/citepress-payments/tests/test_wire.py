"""The three headers: what is decoded, what is refused, and the bytes that are sent (design, section 2)."""

import base64
import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress_payments import wire
from citepress_payments.wire import MalformedError
from support.buyers import usdc_entry

RESOURCE = {
    "url": "https://archive.example/agent-payments/research-bundle-v2",
    "description": "Research bundle",
    "mimeType": "application/json",
}
PAYLOAD = {
    "authorization": {
        "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        "to": "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
        "value": "50000",
        "validAfter": "0",
        "validBefore": "1795238700",
        "nonce": "0x0e21ecc186b0f4a3f098c04238dfb3e20ba9f5a540c0e5ff1b2d7290ec2a123d",
    },
    "signature": (
        "0x51bf9310385cfc175b339d2236dbce518746d1d8096dca2e7112750a66b09ae4577b3d3285a70dbec78ee2aab4e5ead11cac96416905fee74412ef22304d91dd1b"
    ),
}


def _base64(text: str | bytes) -> bytes:
    return base64.b64encode(text.encode() if isinstance(text, str) else text)


def _payload_json(**members: Any) -> str:
    return json.dumps({"x402Version": 2, "accepted": {}, "payload": {}} | members)


def test_the_golden_headers_have_their_sizes() -> None:
    assert len(wire.encode_header(wire.payment_required([usdc_entry()], RESOURCE, "payment_required"))) == 1092
    signature = {"x402Version": 2, "accepted": usdc_entry(), "resource": RESOURCE, "payload": PAYLOAD}
    assert len(wire.encode_header(signature)) == 1608


def test_a_settled_payment_gives_the_salt_of_its_result() -> None:
    encoded = wire.settled_response(usdc_entry(), "0x9bfe", "0x7099", b"\x5b" * 32)
    assert encoded == {
        "success": True,
        "transaction": "0x9bfe",
        "network": "eip155:84532",
        "payer": "0x7099",
        "amount": "50000",
        "extensions": {"citepress": {"resultSalt": "5b" * 32}},
    }


def test_pending_without_a_transaction_is_an_unexpected_error() -> None:
    assert wire.pending(usdc_entry(), "0xab", "0x7099")["errorReason"] == "settlement_pending"
    encoded = wire.pending(usdc_entry(), "", "")
    assert (encoded["errorReason"], encoded["transaction"]) == ("unexpected_settle_error", "")
    assert "payer" not in encoded


def test_what_is_sent_is_ascii_and_is_read_again() -> None:
    field = wire.encode_header({"x402Version": 2, "accepted": {"extra": {"quoteId": "q_ä"}}, "payload": {"a": "é"}})
    assert base64.b64decode(field).isascii()
    signature = wire.signature([field])
    assert (signature.accepted, signature.payload) == ({"extra": {"quoteId": "q_ä"}}, {"a": "é"})


@pytest.mark.parametrize(
    "accepted", [{}, {"extra": None}, {"extra": {"quoteId": 7}}, {"extra": []}, {"extra": {"quoteId": "q_\0"}}]
)
def test_an_entry_without_a_quote_names_none(accepted: dict[str, Any]) -> None:
    assert wire.signature([_base64(_payload_json(accepted=accepted))]).quote_id == ""


DEEP = '{"x402Version":2,"accepted":{"a":' + "[" * 20 + "]" * 20 + '},"payload":{}}'
CORPUS = {
    "no field": [],
    "two fields": [_base64(_payload_json())] * 2,
    "empty": [b""],
    "too large": [b"A" * (wire.MAX_SIGNATURE_HEADER_BYTES + 4)],
    "no base64": [b"{}"],
    "url-safe base64": [base64.urlsafe_b64encode(b"\xff\xff\xff")],
    "no padding": [_base64('{"a":1}').rstrip(b"=")],
    "trailing bits": [b"e30=".replace(b"0", b"1")],
    "spaces around": [b" " + _base64(_payload_json())],
    "line break": [_base64(_payload_json())[:8] + b"\n" + _base64(_payload_json())[8:]],
    "no UTF-8": [_base64(b"\xff\xfe")],
    "no JSON": [_base64("x402")],
    "two documents": [_base64(_payload_json() + "{}")],
    "an array": [_base64("[]")],
    "a string": [_base64('"x"')],
    "null": [_base64("null")],
    "duplicate member": [_base64('{"x402Version":2,"x402Version":2,"accepted":{},"payload":{}}')],
    "duplicate member inside": [_base64('{"x402Version":2,"accepted":{"a":1,"a":2},"payload":{}}')],
    "duplicate by escape": [_base64('{"x402Version":2,"accepted":{"a":1,"\\u0061":1},"payload":{}}')],
    "too deep": [_base64(DEEP)],
    "very deep": [_base64("[" * 10_000)],
    "NaN": [_base64('{"x402Version":2,"accepted":{"a":NaN},"payload":{}}')],
    "Infinity": [_base64('{"x402Version":2,"accepted":{"a":1e999},"payload":{}}')],
    "huge integer": [_base64('{"x402Version":2,"accepted":{"a":9007199254740993},"payload":{}}')],
    "endless integer": [_base64('{"x402Version":2,"accepted":{"a":' + "9" * 6000 + '},"payload":{}}')],
    "lone surrogate": [_base64('{"x402Version":2,"accepted":{"a":"\\ud800"},"payload":{}}')],
    "version 1": [_base64(_payload_json(x402Version=1))],
    "version as text": [_base64(_payload_json(x402Version="2"))],
    "version as float": [_base64('{"x402Version":2.0,"accepted":{},"payload":{}}')],
    "version true": [_base64(_payload_json(x402Version=True))],
    "no version": [_base64('{"accepted":{},"payload":{}}')],
    "accepted is a list": [_base64(_payload_json(accepted=[]))],
    "no payload": [_base64('{"x402Version":2,"accepted":{}}')],
    "payload is text": [_base64(_payload_json(payload="x"))],
}


@pytest.mark.parametrize("name", CORPUS)
def test_strict_decoder_corpus(name: str) -> None:
    with pytest.raises(MalformedError):
        wire.signature(CORPUS[name])


def test_the_deepest_nesting_and_the_largest_integer_are_read() -> None:
    assert wire.signature([_base64(DEEP.replace("[[", "[").replace("]]", "]"))])
    assert wire.signature([_base64(_payload_json(accepted={"a": -(2**53) + 1, "b": 2**53 - 1, "c": '[[[[[[[[["'}))])


@given(st.binary(max_size=200) | st.text(max_size=200).map(_base64) | st.binary(max_size=200).map(_base64))
def test_no_field_does_anything_but_decode_or_be_malformed(field: bytes) -> None:
    with contextlib.suppress(MalformedError):
        assert wire.signature([field]).accepted is not None


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=6), JSON, max_size=4))
def test_whatever_is_encoded_is_decoded_to_the_same(payload: dict[str, Any]) -> None:
    try:
        assert (
            wire.signature([wire.encode_header({"x402Version": 2, "accepted": {}, "payload": payload})]).payload
            == payload
        )
    except MalformedError as malformed:
        assert "deep" in str(malformed)  # noqa: PT017  (the only reason there may be)
