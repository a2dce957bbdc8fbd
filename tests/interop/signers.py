"""What becomes of the account that pays for gas: bad tokens, no gas, stuck and lost transactions."""

from anvil import BUYER, SELLER, Anvil, data
from stages import stage

from citepress_payments.outcomes import PendingAnswer, PurchaseResult, RefusedAnswer
from citepress_payments.ports.rows import State
from support.buyers import USDC
from support.payment_service import decoded

NO_GAS = "0x0"
LATE = 31
"""Seconds after which a transaction counts as stuck."""


def tokens(chain: Anvil) -> str:
    """A token that says yes and moves nothing is not paid; one that reverts is refused before anything is sent."""
    try:
        with stage(chain, hold_s=1) as here:
            chain.set_up(USDC[1], "USDC", 6, mood=1)
            order, field = here.signed()
            before = chain.held(SELLER)
            chain.mine(4)
            first = here.pay(order, field)
            chain.mine(4)
            second = here.pay(order, field)
            assert not isinstance(first, PurchaseResult), first
            assert isinstance(second, RefusedAnswer), second
            chain.set_up(USDC[1], "USDC", 6, mood=2)
            count = chain.count(chain.signer)
            assert isinstance(here.pay(*here.signed()), RefusedAnswer)
            assert chain.count(chain.signer) == count
            assert chain.held(SELLER) == before
    finally:
        chain.set_up(USDC[1], "USDC", 6)
    return "not paid; refused without a transaction"


def gas(chain: Anvil) -> str:
    """Without gas a journaled payment waits; it goes through after the top-up, and the next nonce follows."""
    with stage(
        chain,
        lambda point: chain.ask("anvil_setBalance", chain.signer, NO_GAS) if point == "journal" else None,
        hold_s=1,
    ) as here:
        order, field = here.signed()
        assert isinstance(here.pay(order, field), PendingAnswer)
        chain.ask("anvil_setBalance", chain.signer, hex(10**18))
        assert isinstance(here.pay(order, field), PurchaseResult)
    with stage(chain) as here:
        assert isinstance(here.pay(*here.signed()), PurchaseResult)
        chain.ask("anvil_setBalance", chain.signer, NO_GAS)
        here.market.paying.rails.check()
        health = here.driver().health()
        chain.ask("anvil_setBalance", chain.signer, hex(10**18))
        assert not health.available
        return health.reason[:40]


def bump(chain: Anvil) -> str:
    """A transaction that no block takes is replaced for a higher fee, with the same nonce."""
    with stage(chain, hold_s=1) as here:
        chain.ask("evm_setAutomine", False)
        try:
            order, field = here.signed()
            assert isinstance(here.pay(order, field), PendingAnswer)
            here.now.ahead = LATE
            assert isinstance(here.pay(order, field), PendingAnswer)
            (row,) = here.market.paying.ledger.payments(states=[State.SENT])
            sent = here.market.paying.ledger.sent(row.key)
        finally:
            chain.ask("evm_setAutomine", True)
        chain.mine()
        assert [broadcast.kind for broadcast in sent] == ["pay", "bump"], sent
        assert sent[0].nonce == sent[1].nonce
        result = here.pay(order, field)
        assert isinstance(result, PurchaseResult), result
        assert result.response["transaction"] == sent[1].tx
        return "same nonce, second transaction in the block"


def filler(chain: Anvil) -> str:
    """A payment that can never be made leaves no hole: its nonce is filled, and the next payment goes through."""
    with stage(chain, hold_s=1) as here:
        chain.ask("evm_setAutomine", False)
        try:
            order, field = here.signed()
            nonce = decoded(field)["payload"]["authorization"]["nonce"]
            assert isinstance(here.pay(order, field), PendingAnswer)
            (row,) = here.market.paying.ledger.payments(states=[State.SENT])
            first = here.market.paying.ledger.sent(row.key)[0]
            chain.ask("anvil_dropTransaction", first.tx)
            chain.act(BUYER, USDC[1], data("Token", "cancel(bytes32)", nonce))
            chain.mine(5)
            assert isinstance(here.pay(order, field), PendingAnswer), "until the filler is mined"
            kinds = [broadcast.kind for broadcast in here.market.paying.ledger.sent(row.key)]
        finally:
            chain.ask("evm_setAutomine", True)
        assert kinds == ["pay", "filler"], kinds
        chain.mine()
        failed = here.pay(order, field)
        assert isinstance(failed, RefusedAnswer), failed
        (row,) = here.market.paying.ledger.payments(states=[State.FAILED])
        assert int(row.fee) > 0, "the filler costs gas"
        assert chain.count(chain.signer) == (first.nonce or 0) + 1
        assert isinstance(here.pay(*here.signed()), PurchaseResult)
        return f"filled with a transfer to itself for {row.fee} wei"


SIGNERS = {"bad tokens": tokens, "no gas, then a top-up": gas, "fee bump": bump, "filler": filler}
