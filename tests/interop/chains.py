"""The judge of exact and native payments on a real EVM chain: one verdict a case."""

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from anvil import BUYER, SELLER, Anvil, data, pay_native, running
from crowds import CROWDS
from foreign import FOREIGN
from judges import Verdict, verdict, without
from signers import SIGNERS
from stages import Stage, stage
from workshop import Workshop

from citepress_payments.outcomes import PendingAnswer, PurchaseResult, RefusedAnswer
from citepress_payments.ports.chain import Sent
from support.buyers import PERMIT2, USDC, WETH
from support.payment_service import decoded, header, paid

ANVIL = "@foundry-rs/anvil-linux-amd64/bin/anvil"
PRICE = 50_000
GAS_PERMIT2 = 150_000
MOST_READS = 4


def eip3009(chain: Anvil) -> str:
    """Paid once, replayed without a question to the chain."""
    with stage(chain) as here:
        spent, before = [], chain.held(SELLER)
        for _ in range(5):
            order, field = here.signed()
            start = time.perf_counter()
            assert isinstance(here.pay(order, field), PurchaseResult)
            spent.append((time.perf_counter() - start) * 1000)
        calls = here.driver()._reader._chain.rpc.asked  # noqa: SLF001
        assert isinstance(again := here.pay(order, field), PurchaseResult)
        assert again.replay
        assert here.driver()._reader._chain.rpc.asked == calls, "a replay asked the chain"  # noqa: SLF001
        assert chain.held(SELLER) - before == 5 * PRICE
        return f"paid retry {statistics.median(spent):.0f} ms, steps {_steps(here)}"


def _steps(here: Stage) -> str:
    """Milliseconds of verify, send and reconcile, each alone."""
    order = here.order()
    entry = here.market.terms(order).quote.entries[0]
    payload = decoded(paid(here.market.terms(order), here.now))["payload"]  # type: ignore[arg-type]
    driver, sent, spent = here.driver(), [], []

    def journal(plan: Any) -> Any:
        built = plan.build(plan.pending_nonce)
        sent.append(Sent(1, built.tx, built.raw, plan.signer, plan.pending_nonce, plan.kind, here.now()))
        return sent[-1]

    for work in (
        lambda: driver.verify(entry, payload),
        lambda: driver.send(entry, payload, journal),
        lambda: driver.reconcile(entry, payload, sent, None),
        lambda: driver.reconcile(entry, payload, [], None),
    ):
        start = time.perf_counter()
        work()
        spent.append(f"{(time.perf_counter() - start) * 1000:.0f}")
    return "verify/send/reconcile/by logs " + "/".join(spent)


def permit2(chain: Anvil) -> str:
    """Refused before the approval, paid after it."""
    with stage(chain) as here:
        chain.act(BUYER, WETH[1], data("Token", "approve(address,uint256)", PERMIT2, 0))
        order, field = here.signed("volatile")
        before = here.pay(order, field)
        assert isinstance(before, RefusedAnswer)
        assert before.code == "permit2_allowance_required", before.code
        chain.act(BUYER, WETH[1], data("Token", "approve(address,uint256)", PERMIT2, 10**18))
        after = here.pay(order, field)
        assert isinstance(after, PurchaseResult), after
        gas = int(chain.ask("eth_getTransactionReceipt", after.response["transaction"])["gasUsed"], 16)
        assert gas < GAS_PERMIT2
        return f"{gas} gas"


def native(chain: Anvil) -> str:
    """Pending until it is final; the nodes are asked four times at most."""
    with stage(chain) as here:
        order = here.order("native")
        entry = here.market.terms(order).quote.entries[0]
        field = header(entry, pay_native(chain, entry))  # type: ignore[arg-type]
        assert isinstance(here.pay(order, field), PendingAnswer)
        chain.mine(3)
        calls, start = here.driver("base-eth")._chain.rpc.asked, time.perf_counter()  # noqa: SLF001
        assert isinstance(here.pay(order, field), PurchaseResult)
        spent, reads = (time.perf_counter() - start) * 1000, here.driver("base-eth")._chain.rpc.asked - calls  # noqa: SLF001
        assert reads <= MOST_READS
        return f"{reads} reads, {spent:.0f} ms"


def finality(chain: Anvil) -> str:
    """An exact payment that has to be final is pending until then."""
    with stage(chain, finality="finalized", hold_s=1) as here:
        order, field = here.signed()
        assert isinstance(here.pay(order, field), PendingAnswer)
        chain.mine(3)
        assert isinstance(here.pay(order, field), PurchaseResult)
        return "settled after two more blocks"


def reorg(chain: Anvil) -> str:
    """A native transfer that a reorganisation took away is pending again, and payable once it is back."""
    with stage(chain) as here:
        order = here.order("native")
        entry = here.market.terms(order).quote.entries[0]
        field = header(entry, pay_native(chain, entry))  # type: ignore[arg-type]
        assert isinstance(here.pay(order, field), PendingAnswer)
        chain.ask("anvil_reorg", 1, [])
        chain.mine(1)
        pending = here.pay(order, field)
        assert isinstance(pending, PendingAnswer)
        raw = decoded(field)["payload"]["transaction"]
        if chain.ask("eth_getTransactionReceipt", raw) is None:
            pay_native(chain, entry)  # type: ignore[arg-type]
        chain.mine(3)
        assert isinstance(here.pay(order, field), PurchaseResult)
        return "pending again, then paid"


def undone(chain: Anvil) -> str:
    """A sale at the newest block whose transfer a reorganisation took away: it is made again, once, and then final."""
    before = chain.held(SELLER)
    with stage(chain) as here:
        order, field = here.signed()
        assert isinstance(bought := here.pay(order, field), PurchaseResult)
        chain.ask("anvil_reorg", 1, [])
        gone = chain.held(SELLER) == before
        for _ in range(3):
            here.now.ahead += 61
            here.market.paying.recovery.round()
            chain.mine(2)
        (row,) = here.market.paying.ledger.payments()
        assert row.finality == "final", row.finality
        assert chain.held(SELLER) - before == PRICE, "one transfer"
        assert int(row.fee) > 0
        again = here.pay(order, field)
        assert isinstance(again, PurchaseResult)
        assert again.body == bought.body
        return f"the transfer was {'gone, and is' if gone else 'kept, and is'} final; gas {row.fee} wei"


def vanished(chain: Anvil) -> str:
    """A native sale whose transfer a reorganization removed for good: missing in the end, no sooner."""
    with stage(chain, finality="latest") as here:
        order = here.order("native")
        entry = here.market.terms(order).quote.entries[0]
        field = header(entry, pay_native(chain, entry))  # type: ignore[arg-type]
        assert isinstance(bought := here.pay(order, field), PurchaseResult)
        chain.ask("anvil_reorg", 1, [])
        tx = decoded(field)["payload"]["transaction"]
        chain.ask("anvil_dropTransaction", tx)
        assert chain.ask("eth_getTransactionReceipt", tx) is None, "the chain still has it"
        looks = []
        for seconds in (0, 3600, 4 * 3600):
            chain.ask("evm_increaseTime", hex(seconds))
            chain.mine(4)
            here.now.ahead += 61
            here.market.paying.recovery.round()
            (row,) = here.market.paying.ledger.payments()
            looks.append(row.finality)
        assert looks == ["awaited", "awaited", "missing"], looks
        assert row.reason == "transfer_vanished", row.reason
        again = here.pay(order, field)
        assert isinstance(again, PurchaseResult)
        assert again.body == bought.body
        return "awaited for three hours, then missing; the buyer keeps the result"


def frontrun(chain: Anvil) -> str:
    """Somebody else submits the authorization first: paid and served, before our verification and after it."""
    before = chain.held(SELLER)
    with stage(chain) as here:
        order, field = here.signed()
        here.submitted(field)
        assert isinstance(here.pay(order, field), PurchaseResult)
    box: list[Callable[[], None]] = []
    with stage(chain, lambda point: box.pop()() if point == "journal" and box else None) as here:
        order, field = here.signed()
        box.append(lambda: here.submitted(field))
        assert isinstance(here.pay(order, field), PurchaseResult)
    assert chain.held(SELLER) - before == 2 * PRICE
    return "paid once each"


def cancelled(chain: Anvil) -> str:
    """An authorization that is cancelled under our hands fails cleanly."""
    box: list[Callable[[], None]] = []
    with stage(chain, lambda point: box.pop()() if point == "journal" and box else None) as here:
        order, field = here.signed()
        nonce = decoded(field)["payload"]["authorization"]["nonce"]
        box.append(lambda: (chain.act(BUYER, USDC[1], data("Token", "cancel(bytes32)", nonce)), chain.mine(4))[1])
        outcome = here.pay(order, field)
        assert isinstance(outcome, RefusedAnswer), outcome
        assert outcome.code == "payment_failed", outcome.code
        return "payment_failed"


CASES: dict[str, Callable[[Anvil], str]] = {
    "eip3009": eip3009,
    "permit2": permit2,
    "native": native,
    "finality": finality,
    "reorg": reorg,
    "undone": undone,
    "vanished": vanished,
    "front-run": frontrun,
    "cancelled": cancelled,
}


def anvil(tools: Workshop) -> Iterator[Verdict]:
    """Every case on a fresh chain of its own."""
    if missing := without(tools, "node", "anvil"):
        yield missing
        return
    binary = tools.package(ANVIL)
    if not binary.exists():
        yield Verdict("anvil", "skipped", "there is no anvil for this machine")
        return
    for name, case in (CASES | SIGNERS | CROWDS | FOREIGN).items():
        folder = Path(tempfile.mkdtemp())
        try:
            with running(binary, folder) as chain:
                yield verdict(f"anvil {name}", *_judged(case, chain))
        finally:
            shutil.rmtree(folder)


def _judged(case: Callable[[Anvil], str], chain: Anvil) -> tuple[bool, str]:
    try:
        return True, case(chain)
    except Exception as fault:  # noqa: BLE001  (a case that fails is a verdict)
        return False, f"{type(fault).__name__}: {str(fault)[:300]}"
