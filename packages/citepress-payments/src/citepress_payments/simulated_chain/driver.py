"""The demo's driver: real signatures, and a chain that lives in the state store, with one block a second."""

from collections.abc import Mapping, Sequence
from typing import Any

from citepress.contract.store import StoreUnavailable
from citepress.stores.sql.database import Database
from citepress_payments.chains.evm import authorization
from citepress_payments.chains.evm.payload import SignedPayload
from citepress_payments.chains.exact_driver import ExactDriver, Sender
from citepress_payments.chains.jsonrpc import UnreachableError
from citepress_payments.chains.reader import TransferState
from citepress_payments.drivers import DriverContext, DriverMissingError
from citepress_payments.permit2 import PERMIT2
from citepress_payments.ports.chain import (
    CannotSucceed,
    CheckResult,
    Driver,
    JournalWrite,
    Paid,
    PaymentRefused,
    Pending,
    Plan,
    Sent,
    Undecided,
    Verified,
)
from citepress_payments.ports.prices import Clock, ProbePoint
from citepress_payments.ports.rows import Json, PaymentEntry
from citepress_payments.rails.rail import Authorization
from citepress_payments.simulated_chain.chain import FINAL_AFTER, NETWORKS, canonical, transaction_id
from citepress_payments.simulated_chain.native import SimulatedNative, probe_store
from citepress_payments.simulated_chain.store import SqlSimulatedChain

GIVE_UP_SLACK_S = 60
"""Seconds after its end at which an unused authorization is given up."""
_SIGNED = {Authorization.EIP3009, Authorization.PERMIT2}


def driver(context: DriverContext) -> Driver:
    """The simulated driver of a rail. Raises ``DriverMissingError`` for what it must not or cannot simulate."""
    opened, network = context.opened, context.opened.place.network
    if network not in NETWORKS:
        raise DriverMissingError(
            f"the simulated driver refuses {network}: a signature for a network with real money would be a cheque"
        )
    if not isinstance(context.state, Database):
        raise DriverMissingError("the simulated driver needs the state store")
    chain = SqlSimulatedChain(context.state)
    if opened.rail.authorization is Authorization.PROOF:
        return SimulatedNative(chain, context.clock)
    if opened.rail.authorization not in _SIGNED:
        raise DriverMissingError(
            f"the simulated driver cannot check Solana's signatures: {opened.slug} needs the driver facilitator or"
            " embedded"
        )
    final_after = 0 if opened.finality == "latest" else FINAL_AFTER
    reader = SimulatedReader(network, chain, context.clock, final_after)
    return ExactDriver(reader, SimulatedSender(chain, reader, context.clock, context.probe), context.probe)


class SimulatedReader(SignedPayload):
    """EIP-3009 and Permit2; Permit2 counts as approved by everybody. Fills ``chains.reader.ChainReader``."""

    def __init__(self, network: str, chain: SqlSimulatedChain, clock: Clock, final_after: int) -> None:
        """``final_after``: blocks after which a transfer counts."""
        self._network, self._chain, self._clock, self._final_after = network, chain, clock, final_after

    @property
    def network(self) -> str:
        """CAIP-2 name of the chain."""
        return self._network

    def check(self, entry: PaymentEntry, payload: Json, now: int) -> CheckResult:
        """What can be decided without the chain; it has no contract wallets, so their signatures are refused."""
        verdict = authorization.check(entry, payload, now)
        if not isinstance(verdict, Undecided):
            return verdict
        signed = authorization.read_authorization(entry, payload)
        return authorization.refuse_signature(
            signed, "the simulated chain has no contract wallets" if signed.by_contract else ""
        )

    def key(self, entry: PaymentEntry, payload: Json) -> str:
        """The nonce with its scope."""
        return nonce_of(authorization.read_authorization(entry, payload))

    def prior_use(self, entry: PaymentEntry, payload: Json) -> Verified | PaymentRefused | None:
        """What became of a nonce that is used; else ``None``."""
        signed = authorization.read_authorization(entry, payload)
        tx = self._tx_of(signed)
        if tx is None:
            return None
        if self._is_exact(signed, tx):
            return Verified(signed.payer, tx)
        return PaymentRefused("invalid_exact_evm_nonce_already_used", payer=signed.payer)

    def find_transfer(
        self, entry: PaymentEntry, payload: Json, txs: Sequence[str], *, final: bool = False
    ) -> Paid | CannotSucceed | TransferState:
        """Whether the nonce was used by an exact transfer, whoever sent it."""
        del final  # no block of this chain is ever undone
        signed, now = authorization.read_authorization(entry, payload), self._clock()
        tx = self._tx_of(signed)
        if tx is None:
            likely = txs[0] if txs else ""
            if now > signed.valid_before + GIVE_UP_SLACK_S:
                return CannotSucceed("authorization_expired", likely)
            return TransferState(likely)
        if not self._is_exact(signed, tx):
            return CannotSucceed("authorization_cancelled", tx)
        transfer = self._transaction(tx)
        block = int(transfer["at"]) if transfer else now
        return Paid(tx, signed.payer) if now >= block + self._final_after else TransferState(tx, used=True)

    def in_time(self, entry: PaymentEntry, payload: Json) -> bool:
        """Whether the token's contract would still take it."""
        signed = authorization.read_authorization(entry, payload)
        return signed.valid_after <= self._clock() < signed.valid_before

    def fault(self) -> str:
        """Available as long as the store answers."""
        return probe_store(self._chain)

    def accepts_kind(self, kind: Mapping[str, Any]) -> bool:
        """No facilitator settles here."""
        del kind
        return False

    def extra(self) -> Json:
        """A sign that no chain is behind it."""
        return {"simulated": True}

    def balance(self, token: str, account: str) -> int:
        """Units that an account holds. Raises ``UnreachableError``."""
        try:
            return self._chain.balance(self._network, token, account)
        except StoreUnavailable as away:
            raise UnreachableError(away.reason) from None

    def _tx_of(self, signed: authorization.Authorized) -> str | None:
        """The transaction that used a nonce."""
        try:
            return self._chain.used(self._network, signed.payer, nonce_of(signed))
        except StoreUnavailable as away:
            raise UnreachableError(away.reason) from None

    def _transaction(self, tx: str) -> Json | None:
        try:
            return self._chain.transaction(self._network, tx)
        except StoreUnavailable as away:
            raise UnreachableError(away.reason) from None

    def _is_exact(self, signed: authorization.Authorized, tx: str) -> bool:
        """Whether a transaction made exactly the transfer that was signed."""
        transfer = self._transaction(tx)
        wanted = (canonical(signed.payer), canonical(signed.payee), canonical(signed.token), str(signed.amount))
        names = ("from", "to", "asset", "value")
        return transfer is not None and tuple(transfer[name] for name in names) == wanted


class SimulatedSender(Sender):
    """Writes transfers into the state store, as the token's contract would: once a nonce, and only what is held."""

    def __init__(self, chain: SqlSimulatedChain, reader: SimulatedReader, clock: Clock, probe: ProbePoint) -> None:
        self._chain, self._reader, self._clock, self._probe = chain, reader, clock, probe

    def verify(self, entry: PaymentEntry, payload: Json) -> Verified | PaymentRefused:
        """Whether the balance suffices."""
        signed = authorization.read_authorization(entry, payload)
        if self._reader.balance(signed.token, signed.payer) < signed.amount:
            return PaymentRefused("insufficient_funds", payer=signed.payer)
        return Verified(signed.payer)

    def send(self, entry: PaymentEntry, payload: Json, journal: JournalWrite) -> None:
        """Journal, then transfer; what the chain refuses is for ``reconcile`` to find."""
        tx = _transaction_of(entry, payload)
        journal(Plan(str(entry["network"]), "", 0, None, tx=tx))
        self._probe("journal")
        self._submit(entry, payload, tx)
        self._probe("broadcast")

    def transactions(self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent]) -> Sequence[str]:
        """What was journaled."""
        del entry, payload
        return [broadcast.tx for broadcast in sent]

    def pursue(
        self,
        entry: PaymentEntry,
        payload: Json,
        state: TransferState,
        sent: Sequence[Sent],
        journal: JournalWrite | None,
    ) -> Paid | CannotSucceed | Pending:
        """Send what was journaled again, and look at once: this chain includes a transfer immediately."""
        del journal  # nothing of ours is signed, so nothing is ever bumped
        payer = self._reader.payer(entry, payload)
        if state.used or not sent:
            return Pending(state.tx, payer)
        try:
            self._submit(entry, payload, sent[0].tx)
        except StoreUnavailable as away:
            raise UnreachableError(away.reason) from None
        outcome = self._reader.find_transfer(entry, payload, [sent[0].tx])
        return Pending(outcome.tx, payer) if isinstance(outcome, TransferState) else outcome

    def _submit(self, entry: PaymentEntry, payload: Json, tx: str) -> None:
        """Transfer, within the times of the authorization."""
        if not self._reader.in_time(entry, payload):
            return
        signed = authorization.read_authorization(entry, payload)
        network, nonce, now = str(entry["network"]), nonce_of(signed), self._clock()
        try:
            self._chain.transfer(network, signed.token, signed.payer, signed.payee, signed.amount, nonce, tx, "", now)
        except ValueError:
            return


def nonce_of(signed: authorization.Authorized) -> str:
    """A nonce with its scope: each EIP-3009 token counts for itself, Permit2 for all tokens."""
    scope = PERMIT2 if signed.method is Authorization.PERMIT2 else signed.token
    return f"{scope}|{signed.nonce}"


def _transaction_of(entry: PaymentEntry, payload: Json) -> str:
    identity = authorization.identity(entry, payload)
    if isinstance(identity, PaymentRefused):
        raise authorization.AuthorizationShapeError(identity.detail)
    return transaction_id(identity.key)
