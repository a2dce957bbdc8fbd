"""The three x402 headers, decoded strictly and encoded plainly (x402 version 2, HTTP transport).

A header is standard base64 with padding over one JSON object. We write ASCII only, because buyers in JavaScript
decode base64 as Latin-1.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citepress.base.canonical import canonical_bytes
from citepress.base.errors import CitepressError
from citepress.base.strict_json import MAX_VALUES, DuplicateNameError, count_values, unique_members
from citepress_payments.ports.rows import Json, PaymentEntry

X402_VERSION = 2
MAX_SIGNATURE_HEADER_BYTES = 16 * 1024
"""Of a PAYMENT-SIGNATURE; one of Solana takes 3.4 KB."""
MAX_PAYLOAD_DEPTH = 16
"""Stock buyers send the extensions of the terms back, whose schemas are nested eleven deep."""
MAX_SAFE_INTEGER = 2**53 - 1
"""Integers beyond it are not the same number in every language."""
NO_NETWORK = "x402 version 2 is required"
"""Short, because clients of version 1 quote it in their own error."""
VERSION_NEEDED = f"{NO_NETWORK}: read PAYMENT-REQUIRED and send PAYMENT-SIGNATURE"
"""The message for clients of version 1."""
PENDING, NOTHING_KNOWN = "settlement_pending", "unexpected_settle_error"
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
"""A string, even one without an end (so that each character is looked at once), or a bracket."""
_QUOTE = re.compile(r"q_[A-Za-z0-9_-]{22}")
_DIGITS = len(str(MAX_SAFE_INTEGER))


@dataclass(frozen=True, slots=True)
class Signature:
    """A decoded PAYMENT-SIGNATURE."""

    accepted: Json
    """The entry that the buyer chose, as it came back."""
    payload: Json
    """The proof of the payment."""

    @property
    def quote_id(self) -> str:
        """The quote that the buyer means; empty where the name is none that a quote can have."""
        extra = self.accepted.get("extra")
        named = extra.get("quoteId") if isinstance(extra, Mapping) else None
        return named if isinstance(named, str) and _QUOTE.fullmatch(named) else ""


class MalformedError(CitepressError, ValueError):
    """A header that cannot be read; the sentence may be shown to the client."""


def encode_header(document: Json) -> bytes:
    """An object as a header value."""
    return base64.b64encode(json.dumps(document, ensure_ascii=True, separators=(",", ":")).encode())


def payment_required(
    entries: Sequence[PaymentEntry], resource: Json, error: str, extensions: Json | None = None
) -> dict[str, Any]:
    """The object of PAYMENT-REQUIRED; ``resource`` has ``url``, ``description`` and ``mimeType``."""
    document = {
        "x402Version": X402_VERSION,
        "error": error,
        "resource": dict(resource),
        "accepts": [dict(entry) for entry in entries],
    }
    return {**document, "extensions": dict(extensions)} if extensions else document


def signpost(resource: str) -> dict[str, Any]:
    """What a client of x402 version 1 finds in the body: an entry that it must refuse, and whose refusal says why.

    Version 1 reads terms from the body. An empty list makes its clients fail with a type error; a network that they
    do not know is quoted in theirs.
    """
    # See "x402 version 1 gets an entry that it must refuse" in docs/decisions/payments.md.
    entry = {
        "scheme": "exact",
        "network": NO_NETWORK,
        "maxAmountRequired": "0",
        "resource": resource,
        "description": VERSION_NEEDED,
        "mimeType": "",
        "payTo": "0x" + "0" * 40,
        "maxTimeoutSeconds": 0,
        "asset": "0x" + "0" * 40,
    }
    return {"x402Version": X402_VERSION, "accepts": [entry]}


def settled_response(entry: PaymentEntry, tx: str, payer: str, salt: bytes) -> dict[str, Any]:
    """PAYMENT-RESPONSE of a settled payment.

    With the salt the buyer checks ``resultCommitment`` against the body.
    """
    return {
        "success": True,
        "transaction": tx,
        "network": entry["network"],
        "payer": payer,
        "amount": entry["amount"],
        "extensions": salt_extension(salt),
    }


def salt_extension(salt: bytes) -> dict[str, Any]:
    """The extension of PAYMENT-RESPONSE that gives the salt of a quote."""
    return {"citepress": {"resultSalt": salt.hex()}}


def failed_response(entry: PaymentEntry, reason: str, tx: str, payer: str) -> dict[str, Any]:
    """PAYMENT-RESPONSE of a payment that failed; ``tx`` is empty where nothing was sent."""
    response = {"success": False, "errorReason": reason, "transaction": tx, "network": entry["network"]}
    return {**response, "payer": payer} if payer else response


def pending(entry: PaymentEntry, tx: str, payer: str) -> dict[str, Any]:
    """PAYMENT-RESPONSE of a payment that is not decided.

    Without a transaction the specification allows no ``settlement_pending``.
    """
    return failed_response(entry, PENDING if tx else NOTHING_KNOWN, tx, payer)


def signature(fields: Sequence[bytes]) -> Signature:
    """The PAYMENT-SIGNATURE among the fields of a request (their values). Raises ``MalformedError``."""
    # Of two, a proxy before us might read one and we the other.
    if len(fields) != 1:
        raise MalformedError("send exactly one PAYMENT-SIGNATURE field")
    document = _object(fields[0])
    version = document.get("x402Version")
    # True equals 1 in Python, and 2.0 equals 2.
    if type(version) is not int or version != X402_VERSION:
        raise MalformedError("x402Version must be 2")
    accepted, payload = document.get("accepted"), document.get("payload")
    if not isinstance(accepted, dict) or not isinstance(payload, dict):
        raise MalformedError("accepted and payload must be objects")
    return Signature(accepted, payload)


def _object(field: bytes) -> dict[str, Any]:
    if len(field) > MAX_SIGNATURE_HEADER_BYTES:
        raise MalformedError(f"PAYMENT-SIGNATURE may hold {MAX_SIGNATURE_HEADER_BYTES:,} bytes")
    try:
        text = base64.b64decode(field, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise MalformedError("PAYMENT-SIGNATURE must be standard base64 of UTF-8 text") from None
    # Base64 has several spellings for the same bytes; only one of them is the header that replays are compared with.
    if base64.b64encode(text.encode()) != field:
        raise MalformedError("PAYMENT-SIGNATURE must be standard base64 with its padding and nothing else")
    if count_values(text.encode(), MAX_VALUES) > MAX_VALUES:
        raise MalformedError(f"PAYMENT-SIGNATURE may hold {MAX_VALUES:,} values")
    # Checked on the text, because the parser of Python recurses and would fail on a deep one.
    if _depth(text) > MAX_PAYLOAD_DEPTH:
        raise MalformedError(f"PAYMENT-SIGNATURE may be nested {MAX_PAYLOAD_DEPTH} deep")
    try:
        document = json.loads(text, object_pairs_hook=unique_members, parse_int=_integer, parse_constant=_constant)
        canonical_bytes(
            document
        )  # what has no canonical form (lone surrogates, infinite numbers) could not be compared or hashed
    except DuplicateNameError:
        raise MalformedError("a member of PAYMENT-SIGNATURE is there twice") from None
    except ValueError as error:
        words = str(error) if isinstance(error, MalformedError) else "PAYMENT-SIGNATURE must hold one JSON object"
        raise MalformedError(words) from None
    if not isinstance(document, dict):
        raise MalformedError("PAYMENT-SIGNATURE must hold one JSON object")
    return document


def _depth(text: str) -> int:
    """How deep objects and arrays are nested, found without parsing."""
    deepest = here = 0
    for token in _TOKEN.finditer(text):
        if token[0] in "[{":
            here += 1
            deepest = max(deepest, here)
        elif token[0] in "]}":
            here -= 1
    return deepest


def _integer(digits: str) -> int:
    # Converting a very long number takes time that grows with its square.
    number = int(digits) if len(digits) <= _DIGITS + 1 else MAX_SAFE_INTEGER + 1
    if abs(number) > MAX_SAFE_INTEGER:
        raise MalformedError("integers of PAYMENT-SIGNATURE must be below 2^53")
    return number


def _constant(_word: str) -> None:
    raise MalformedError("NaN and Infinity are not valid JSON")
