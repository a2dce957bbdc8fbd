"""One process of several that sell over the same ledger and the same signer."""

import json
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from anvil import Anvil, Now, PaymentHarness, salt

from citepress_payments.outcomes import Outcome, PurchaseResult
from support.payment_service import paid
from support.payment_service import payment_harness as market_over

AT_ONCE = 6


def summary(outcome: Outcome) -> dict[str, Any]:
    """What a case wants to know of an answer."""
    if not isinstance(outcome, PurchaseResult):
        return {"sort": type(outcome).__name__, "words": str(outcome)[:300]}
    return {"sort": "Result", "tx": outcome.response["transaction"], "body": outcome.body.decode()}


def pay(market: PaymentHarness, now: Now, count: int) -> list[dict[str, Any]]:
    """Payments for bodies of their own, some at a time."""

    def pay_once(_place: int) -> dict[str, Any]:
        order = market.order(b'{"query":"%s"}' % salt().encode(), client=f"203.0.113.{_place}")
        return summary(market.signed(paid(market.terms(order), now), order))  # type: ignore[arg-type]

    with ThreadPoolExecutor(AT_ONCE) as threads:
        return list(threads.map(pay_once, range(count)))


def _market(chain: Anvil, place: dict[str, str], now: Now, probe: Callable[[str], None]) -> PaymentHarness:
    """Our own sending, or a foreign facilitator's."""
    if "facilitator" not in place:
        return chain.market(Path(place["folder"]), now, probe)
    from foreign import rails

    return market_over(Path(place["folder"]), rails=rails(chain, place["facilitator"]), watch=now, probe=probe)  # type: ignore[arg-type]


def main() -> None:
    place, what, *more = json.loads(sys.argv[1]), *sys.argv[2:]
    chain, now = Anvil(place["url"], key_file=place["key"]), Now()

    def probe(here: str) -> None:
        if what == "die" and here == more[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    market = _market(chain, place, now, probe)
    if what == "pay":
        print(json.dumps(pay(market, now, int(more[0]))))
    elif what == "copies":
        with ThreadPoolExecutor(int(more[0])) as threads:
            print(
                json.dumps(
                    [
                        summary(result)
                        for result in threads.map(lambda _: market.signed(more[1].encode()), range(int(more[0])))
                    ]
                )
            )
    else:
        if more[0] == "quote":
            market.terms()
        market.signed(more[1].encode(), market.order(more[2].encode()) if len(more) > 2 else None)
    market.close()


main()
