"""The SDK's own facilitator between us and the chain: what it accepts, and payments when either side dies."""

import json
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anvil import SELLER, Anvil, Now, environment
from stages import Stage

from citepress_payments.outcomes import PendingAnswer, PurchaseResult
from support.payment_service import payment_harness

STOCK = Path(__file__).with_name("stock_facilitator.py")
WORKER = Path(__file__).with_name("worker.py")
PRICE = 50_000
POINTS = ("claim", "verify", "journal", "broadcast", "receipt", "settle")
LAPSED = 40


@contextmanager
def foreign(chain: Anvil) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A running facilitator, with its gas from the chain's signer."""
    key = Path(chain.key_file).read_text("utf-8")
    process = subprocess.Popen(
        [sys.executable, str(STOCK), chain.url, key], env=environment(), stdout=subprocess.PIPE, text=True
    )
    try:
        yield (process.stdout.readline() if process.stdout else "").strip(), process
    finally:
        process.kill()
        process.wait(10)


def rails(chain: Anvil, url: str, **more: Any) -> list[dict[str, Any]]:
    """USDC over the facilitator."""
    return [{"slug": "base-usdc", "driver": "facilitator", "facilitator_url": url, "rpc_urls": [chain.url], **more}]


def facilitator(chain: Anvil) -> str:
    """Paid, replayed, and pending without it."""
    with foreign(chain) as (url, process), tempfile.TemporaryDirectory() as folder:
        here = Stage(
            chain, payment_harness(Path(folder), rails=rails(chain, url, hold_s=1), watch=Now()), Now(), Path(folder)
        )  # type: ignore[arg-type]
        assert here.driver().health().available, here.driver().health()
        spent, before = [], chain.held(SELLER)
        for _ in range(5):
            order, field = here.signed()
            start = time.perf_counter()
            assert isinstance(here.pay(order, field), PurchaseResult)
            spent.append((time.perf_counter() - start) * 1000)
        assert chain.held(SELLER) - before == 5 * PRICE
        order, field = here.signed()
        process.kill()
        process.wait(10)
        assert not isinstance(here.pay(order, field), PurchaseResult | PendingAnswer), "nothing was attempted"
        assert not here.driver().health().available
        here.market.close()
        return f"paid retry {statistics.median(spent):.0f} ms"


def crashes(chain: Anvil) -> str:
    """Our process dies at each point: the same header then gets the result, and one price moved."""
    with foreign(chain) as (url, _):
        for point in POINTS:
            with tempfile.TemporaryDirectory() as folder:
                now = Now()
                stage = Stage(
                    chain, payment_harness(Path(folder), rails=rails(chain, url), watch=now), now, Path(folder)
                )  # type: ignore[arg-type]
                order, field = stage.signed()
                before = chain.held(SELLER)
                place = json.dumps({"url": chain.url, "key": chain.key_file, "folder": folder, "facilitator": url})
                command = [sys.executable, str(WORKER), place, "die", point, field.decode(), order.body.decode()]
                dead = subprocess.run(command, env=environment(), capture_output=True, timeout=120, check=False)
                assert dead.returncode == -signal.SIGKILL, (point, dead.returncode, dead.stderr[-500:])
                now.ahead = LAPSED
                outcome = stage.pay(order, field)
                stage.market.close()
                assert isinstance(outcome, PurchaseResult), (point, outcome)
                assert chain.held(SELLER) - before == PRICE, point
    return ", ".join(POINTS)


FOREIGN = {"foreign facilitator": facilitator, "foreign facilitator, crash points": crashes}
