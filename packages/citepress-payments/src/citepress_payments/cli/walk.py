"""The whole handshake over one rail of a running server, step by step, as a buyer who trusts nothing."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citepress.base.canonical import digest
from citepress_payments import wire
from citepress_payments.cli.remote import HttpAnswer, RemoteServer
from citepress_payments.ports.rows import Json, PaymentEntry
from citepress_payments.terms import commitment, terms_hash

OK, SKIPPED, UNSOLD, FAILED = "ok", "skipped", "not sold", "FAILED"
INSUFFICIENT = "insufficient_evidence"
"""The code of a question that the archive holds too little on to sell an answer."""
MAX_PENDING_S = 90.0
"""Seconds that a payment may stay pending."""
PAID, REQUIRED, INVALID = 200, 402, 422
Pay = Callable[[PaymentEntry], Json]
"""Makes the payload that pays an entry."""


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One step of the handshake."""

    name: str
    word: str
    """``ok``, ``skipped``, ``not sold`` or ``FAILED``."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class RailEndpoint:
    """Where a rail is paid: the path of a product in the rail's lane."""

    remote: RemoteServer
    rail: str
    path: str
    product: str


def walk(endpoint: RailEndpoint, bodies: Sequence[bytes], pay: Pay | None, why_not: str = "") -> Iterator[WalkStep]:
    """The steps, in order; the first that fails is the last.

    ``bodies`` are tried until one can be sold; without ``pay`` the rail is not paid.
    """
    for step in _steps(endpoint, bodies, pay, why_not):
        yield step
        if step.word == FAILED:
            return


def _steps(endpoint: RailEndpoint, bodies: Sequence[bytes], pay: Pay | None, why_not: str) -> Iterator[WalkStep]:
    free = endpoint.remote.post(endpoint.path, b"{}")
    yield _step(
        "an invalid request is refused and costs nothing",
        free.status == INVALID and "payment-required" not in free.fields,
        free.sentence,
    )
    body, offered = _offered(endpoint, bodies)
    if offered.code == INSUFFICIENT:
        yield WalkStep("preflight: 402 with terms", UNSOLD, _unsold(len(bodies)))
        return
    entry = _entry(endpoint, offered)
    yield _step("preflight: 402 with terms", offered.status == REQUIRED and entry is not None, offered.sentence)
    if entry is None:
        return
    bound = entry["extra"].get("bodySha256") == digest(body) and entry["extra"].get("termsHash") == terms_hash(
        entry, endpoint.product
    )
    yield _step(
        "the terms are bound to this body",
        bound,
        f"{entry['amount']} units of {entry['asset']} on {entry['network']} to {entry['payTo']}",
    )
    if pay is None:
        yield WalkStep("payment, replay, tampered body", SKIPPED, why_not)
        return
    resource = offered.object("payment-required").get("resource", {})
    yield from _paid(
        endpoint,
        body,
        entry,
        {"x402Version": wire.X402_VERSION, "accepted": entry, "payload": pay(entry), "resource": resource},
    )


def _paid(endpoint: RailEndpoint, body: bytes, entry: PaymentEntry, signature: Json) -> Iterator[WalkStep]:
    """The steps with a signature: payment, replay, and the same payment for something else."""
    paid = _settled(endpoint, body, signature)
    response = paid.object("payment-response")
    ours = response.get("success") is True and (response.get("network"), response.get("amount")) == (
        entry["network"],
        entry["amount"],
    )
    yield _step(
        "payment: 200 with the result", paid.status == PAID and ours, response.get("transaction") or paid.sentence
    )
    salt = response.get("extensions", {}).get("citepress", {}).get("resultSalt", "")
    yield _step(
        "the result is the one that was quoted",
        _matches_commitment(salt, paid.body, entry),
        f"{len(paid.body):,} bytes",
    )
    again = endpoint.remote.post(endpoint.path, body, signature)
    same = (again.status, again.body, again.fields.get("payment-response")) == (
        PAID,
        paid.body,
        paid.fields.get("payment-response"),
    )
    yield _step("replay: the same bytes, nothing charged", same, again.sentence if not same else "")
    other = endpoint.remote.post(endpoint.path, body + b" ", signature)
    yield _step(
        "the same payment with another body is refused",
        (other.status, other.code) == (REQUIRED, "body_mismatch"),
        other.sentence,
    )


def _step(name: str, good: bool, note: str) -> WalkStep:
    return WalkStep(name, OK if good else FAILED, note)


def _unsold(count: int) -> str:
    """Why nothing was tried: the server is right to refuse, since it sells no empty answers."""
    asked = "the question" if count == 1 else f"each of the {count} questions"
    return f"the archive holds too little on {asked} to sell an answer; name one that it answers with --query"


def _offered(endpoint: RailEndpoint, bodies: Sequence[bytes]) -> tuple[bytes, HttpAnswer]:
    """The first body that is offered for sale, and its answer; else the last answer."""
    for body in bodies:
        answer = endpoint.remote.post(endpoint.path, body)
        if answer.status != INVALID:
            break
    return body, answer


def _entry(endpoint: RailEndpoint, offered: HttpAnswer) -> dict[str, Any] | None:
    accepts = offered.object("payment-required").get("accepts", [])
    return next((entry for entry in accepts if entry.get("extra", {}).get("rail") == endpoint.rail), None)


def _settled(endpoint: RailEndpoint, body: bytes, signature: Json) -> HttpAnswer:
    """The answer to the paid request, sent again as long as it is pending."""
    waited = 0.0
    while True:
        answer = endpoint.remote.post(endpoint.path, body, signature)
        after = answer.fields.get("retry-after", "")
        if answer.code != wire.PENDING or waited > MAX_PENDING_S:
            return answer
        pause = min(max(float(after) if after.isdecimal() else 1.0, 1.0), 30.0)
        time.sleep(pause)
        waited += pause


def _matches_commitment(salt: str, body: bytes, entry: PaymentEntry) -> bool:
    try:
        return commitment(bytes.fromhex(salt), body) == str(entry["extra"].get("resultCommitment"))
    except ValueError:
        return False
