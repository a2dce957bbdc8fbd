"""Plain transfers on the demo's chain, proven by their transaction."""

from citepress.contract.store import StoreUnavailable
from citepress_payments.chains import native_proof
from citepress_payments.chains.jsonrpc import UnreachableError
from citepress_payments.chains.proof_driver import ProofDriver
from citepress_payments.families import family_of
from citepress_payments.ports.chain import PaymentRefused, Pending, Verified
from citepress_payments.ports.prices import Clock
from citepress_payments.ports.rows import Json, PaymentEntry
from citepress_payments.simulated_chain.chain import FINAL_AFTER, NAMING, canonical
from citepress_payments.simulated_chain.store import SqlSimulatedChain


class SimulatedNative(ProofDriver):
    """Plain transfers that carry the terms hash."""

    def __init__(self, chain: SqlSimulatedChain, clock: Clock) -> None:
        self._chain, self._clock = chain, clock

    def look(self, entry: PaymentEntry, tx: str, *, final: bool) -> Verified | PaymentRefused | Pending:
        """Whether the transfer is exact, final and in time; the first check that fails answers."""
        del final  # no block of this chain is ever undone
        network = str(entry["network"])
        try:
            transfer = self._chain.transaction(network, tx)
        except StoreUnavailable as away:
            raise UnreachableError(away.reason) from None
        if transfer is None:
            return Pending(tx)
        payer = family_of(network).canonical_address(str(transfer["from"]))
        to = str(transfer["to"]) if transfer["asset"] == canonical(str(entry["asset"])) else ""
        refused = native_proof.fault(entry, to, int(transfer["value"]), str(transfer["data"]))
        if refused:
            return refused
        at = int(transfer["at"])
        if self._clock() < at + FINAL_AFTER:
            return Pending(tx, payer)
        return native_proof.too_late(entry, at) or Verified(payer, tx)

    def fault(self) -> str:
        """Available as long as the store answers."""
        return probe_store(self._chain)

    def extra(self) -> Json:
        """A sign that no chain is behind it."""
        return {"simulated": True}


def probe_store(chain: SqlSimulatedChain) -> str:
    """Why the chain does not answer; empty where it does."""
    try:
        chain.balance("", "", "")
    except StoreUnavailable:
        return "the state store does not answer"
    return ""


def send_native(
    chain: SqlSimulatedChain,
    entry: PaymentEntry,
    payer: str,
    now: int,
    *,
    nonce: int = 0,
    to: str | None = None,
    amount: int | None = None,
    data: str | None = None,
) -> str:
    """Make the plain transfer that a native entry asks for, at block ``now``; return its transaction id.

    ``nonce`` distinguishes transfers that are alike. Raises ``ValueError`` with the chain's code, and
    ``StoreUnavailable``.
    """
    network, extra = str(entry["network"]), entry["extra"]
    payee, units = to or str(entry["payTo"]), int(entry["amount"]) if amount is None else amount
    carried = str(extra["data"] if "data" in extra else extra["memo"]) if data is None else data
    seed = f"transfer|{network}|{canonical(payer)}|{canonical(payee)}|{units}|{carried}|{nonce}"
    tx = family_of(network).transaction_id(NAMING + seed.encode())
    return chain.transfer(network, str(entry["asset"]), payer, payee, units, f"native|{tx}", tx, carried, now)
