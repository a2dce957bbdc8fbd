"""The demo's driver: real signatures, and a chain that lives in the state store, with one block a second."""

from collections.abc import Sequence

from eth_utils.address import to_checksum_address

from citepress.contract.store import StoreUnavailable
from citepress.payments.chains import native_proof
from citepress.payments.chains.evm import authorization
from citepress.payments.chains.proof_driver import ProofDriver
from citepress.payments.chains.simulated.chain import FINAL_AFTER, NETWORKS, canonical, transaction_id
from citepress.payments.drivers import DriverContext, DriverMissingError
from citepress.payments.permit2 import PERMIT2
from citepress.payments.ports import (
    CannotSucceed,
    Clock,
    Driver,
    Entry,
    Health,
    Identity,
    Journal,
    Json,
    Paid,
    PaymentRefused,
    Pending,
    Plan,
    Probe,
    Proven,
    Sent,
    SimulatedChain,
    Undecided,
    Unreachable,
    Verified,
)
from citepress.payments.rails.rail import Authorization

SLACK = 60
"""Seconds after its end at which an unused authorization is given up."""
_SIGNED = {Authorization.EIP3009, Authorization.PERMIT2}


def driver(materials: DriverContext) -> Driver:
    """The simulated driver of a rail. Raises ``DriverMissingError`` for what it must not or cannot simulate."""
    opened, network = materials.opened, materials.opened.place.network
    if network not in NETWORKS:
        raise DriverMissingError(f"the simulated driver refuses {network}: a signature for a network with real money would be a cheque")
    if materials.simulated is None:
        raise DriverMissingError("the simulated driver needs the state store")
    if opened.rail.authorization is Authorization.PROOF:
        return SimulatedNative(materials.simulated, materials.clock)
    if opened.rail.authorization not in _SIGNED:
        raise DriverMissingError(
            f"the simulated driver cannot check Solana's signatures: {opened.slug} needs the driver facilitator or embedded"
        )
    return SimulatedExact(
        materials.simulated, materials.clock, materials.probe, final_after=0 if opened.finality == "latest" else FINAL_AFTER
    )


class _Simulated:
    """What both lanes share."""

    def __init__(self, chain: SimulatedChain, clock: Clock) -> None:
        self._chain, self._clock = chain, clock

    def health(self) -> Health:
        """Available as long as the store answers."""
        try:
            self._chain.used("eip155:31337", authorization.ZERO, "")
        except StoreUnavailable:
            return Health(available=False, reason="the state store does not answer")
        return Health(available=True)

    def fee(self) -> int | Unreachable | None:
        """A simulated chain asks none."""
        return None

    def extra(self) -> Json:
        """A sign that no chain is behind it."""
        return {"simulated": True}


class SimulatedExact(_Simulated):
    """EIP-3009 and Permit2; Permit2 counts as approved by everybody. Fills ``payments.ports.Driver``."""

    def __init__(self, chain: SimulatedChain, clock: Clock, probe: Probe, *, final_after: int = 0) -> None:
        """``final_after``: blocks after which a transfer counts."""
        super().__init__(chain, clock)
        self._probe, self._final_after = probe, final_after

    def identify(self, entry: Entry, payload: Json) -> Identity | PaymentRefused:
        """Shape, canonical key and payer."""
        return authorization.identity(entry, payload)

    def check(self, entry: Entry, payload: Json, now: int) -> Proven | Undecided | PaymentRefused:
        """What can be told without the chain; it has no contract wallets, so their signatures are refused."""
        told = authorization.check(entry, payload, now)
        if isinstance(told, Undecided):
            signed = authorization.read(entry, payload)
            return authorization.unsigned(signed, "the simulated chain has no contract wallets" if signed.by_contract else "")
        return told

    def verify(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | Pending | Unreachable:
        """Whether the nonce is unused and the balance suffices."""
        signed = authorization.read(entry, payload)
        try:
            used = self._chain.used(str(entry["network"]), signed.payer, _nonce(signed))
            held = self._chain.balance(str(entry["network"]), signed.token, signed.payer)
        except StoreUnavailable as away:
            return Unreachable(away.reason)
        if used is not None and self._is_ours(entry, signed, used):
            return Verified(signed.payer, used)
        if used is not None:
            return PaymentRefused("invalid_exact_evm_nonce_already_used", payer=signed.payer)
        return Verified(signed.payer) if held >= signed.amount else PaymentRefused("insufficient_funds", payer=signed.payer)

    def send(self, entry: Entry, payload: Json, journal: Journal) -> None:
        """Journal, then transfer; what the chain refuses is for ``reconcile`` to find."""
        tx = _transaction_of(entry, payload)
        journal(Plan(str(entry["network"]), "", 0, None, tx=tx))
        self._probe("journal")
        self._submit(entry, payload, tx)
        self._probe("broadcast")

    def reconcile(
        self, entry: Entry, payload: Json, sent: Sequence[Sent], journal: Journal | None
    ) -> Paid | Pending | CannotSucceed | Unreachable:
        """Whether the nonce was used by an exact transfer, whoever sent it; what was journaled is sent again while it is good."""
        del journal  # nothing of ours is signed, so nothing is ever bumped
        try:
            return self._reconciled(entry, payload, sent)
        except StoreUnavailable as away:
            return Unreachable(away.reason)

    def confirm(self, entry: Entry, payload: Json, sent: Sequence[Sent], journal: Journal) -> Paid | Pending | CannotSucceed | Unreachable:
        """No block of this chain is ever undone."""
        return self.reconcile(entry, payload, sent, journal)

    def _reconciled(self, entry: Entry, payload: Json, sent: Sequence[Sent]) -> Paid | Pending | CannotSucceed:
        network, signed, now = str(entry["network"]), authorization.read(entry, payload), self._clock()
        if sent and not self._chain.used(network, signed.payer, _nonce(signed)):
            self._submit(entry, payload, sent[0].tx)
        used = self._chain.used(network, signed.payer, _nonce(signed))
        tx = sent[0].tx if sent else ""
        if used is None:
            return CannotSucceed("authorization_expired", tx) if now > signed.valid_before + SLACK else Pending(tx, signed.payer)
        if not self._is_ours(entry, signed, used):
            return CannotSucceed("authorization_cancelled", used)
        block = int((self._chain.transaction(network, used) or {"at": now})["at"])
        if now < block + self._final_after:
            return Pending(used, signed.payer)
        self._probe("receipt")
        return Paid(used, signed.payer)

    def _submit(self, entry: Entry, payload: Json, tx: str) -> None:
        """Transfer, as the token's contract would: within its times, once a nonce, and only what is held."""
        signed, now = authorization.read(entry, payload), self._clock()
        if not signed.valid_after <= now < signed.valid_before:
            return
        try:
            self._chain.transfer(
                str(entry["network"]), signed.token, signed.payer, signed.payee, signed.amount, _nonce(signed), tx, "", now
            )  # fmt: skip
        except ValueError:
            return

    def _is_ours(self, entry: Entry, signed: authorization.Authorized, tx: str) -> bool:
        """Whether a transaction made exactly the transfer that was signed."""
        made = self._chain.transaction(str(entry["network"]), tx)
        wanted = (canonical(signed.payer), canonical(signed.payee), canonical(signed.token), str(signed.amount))
        return made is not None and (made["from"], made["to"], made["asset"], made["value"]) == wanted


class SimulatedNative(_Simulated, ProofDriver):
    """Plain transfers that carry the terms hash. Fills ``payments.ports.Driver``."""

    def verify(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | Pending | Unreachable:
        """Whether the transfer is exact, final and in time, in the order of the design."""
        tx = native_proof.transaction(entry, payload)
        if isinstance(tx, PaymentRefused):
            return tx
        try:
            made = self._chain.transaction(str(entry["network"]), tx)
        except StoreUnavailable as away:
            return Unreachable(away.reason)
        if made is None:
            return Pending(tx)
        payer = str(made["from"])
        payer = to_checksum_address(payer) if payer.startswith("0x") else payer
        to = str(made["to"]) if made["asset"] == canonical(str(entry["asset"])) else ""
        if refused := native_proof.fault(entry, to, int(made["value"]), str(made["data"])):
            return refused
        if self._clock() < int(made["at"]) + FINAL_AFTER:
            return Pending(tx, payer)
        return native_proof.too_late(entry, int(made["at"])) or Verified(payer, tx)


def _nonce(signed: authorization.Authorized) -> str:
    """A nonce with its scope: each EIP-3009 token counts for itself, Permit2 for all tokens."""
    scope = PERMIT2 if signed.method is Authorization.PERMIT2 else signed.token
    return f"{scope}|{signed.nonce}"


def _transaction_of(entry: Entry, payload: Json) -> str:
    named = authorization.identity(entry, payload)
    if isinstance(named, PaymentRefused):
        raise authorization.AuthorizationShapeError(named.detail)
    return transaction_id(named.key)
