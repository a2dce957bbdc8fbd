"""A foreign judge of x402 answers on every lane (x402-conformance as a library), and of what may never be an offer."""

import pytest
from x402conf.harness import check_402

from support.running_server import Answer
from support.server_with_payments import ASK, BNB, BUNDLE, COVERAGE, TOPIC, WETH, PaymentServer, signed_for


def _judged(answer: Answer) -> dict[str, bool]:
    checks = check_402({"status": answer.status, "headers": answer.fields, "body": answer.body})
    return {check["check"].split()[0]: check["pass"] for check in checks}


@pytest.mark.parametrize(("path", "body"), [(BUNDLE, ASK), (WETH, ASK), (BNB, ASK), (COVERAGE, TOPIC)])
@pytest.mark.requirement("payment headers", "payment encoding")
def test_every_402_conforms(counter: PaymentServer, path: str, body: bytes) -> None:
    every = {f"P{number}": True for number in range(1, 8)}
    assert _judged(counter.post(path, body)) == every
    assert _judged(counter.post(path, body, b"e30=")) == every, "a refusal carries terms too"


def test_a_refusal_of_a_good_header_conforms(counter: PaymentServer) -> None:
    signature = signed_for(counter.terms(COVERAGE, TOPIC))
    assert all(_judged(counter.post(COVERAGE, TOPIC + b" ", signature)).values())


def test_what_cannot_be_sold_is_no_offer(counter: PaymentServer) -> None:
    answer = counter.post(BUNDLE, b'{"query":"zebra unicorn stripes"}')
    assert _judged(answer) == {"P1": False}
    assert "payment-required" not in answer.fields
