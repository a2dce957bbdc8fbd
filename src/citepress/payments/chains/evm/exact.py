"""EIP-3009 and Permit2 payments that we send ourselves: the SDK verifies and encodes, the ledger journals, the chain decides."""

from collections.abc import Sequence

from citepress.payments.chains.evm import authorization, calls, contract_wallet, health
from citepress.payments.chains.evm.authorization import Authorized
from citepress.payments.chains.evm.client import EvmChain
from citepress.payments.chains.evm.data_fee import data_fee
from citepress.payments.chains.evm.gas_wallet import FILLER, Call, GasPriceError, GasWallet, account_of
from citepress.payments.chains.evm.sdk import EvmSdk
from citepress.payments.chains.evm.verifier import FINALIZED, EvmTransferVerifier, TransferState, made_already
from citepress.payments.chains.jsonrpc import RefusedError, UnreachableError
from citepress.payments.chains.nodes import KEY, key_of, refuse_public_key, rpc_of
from citepress.payments.configuration import ConfiguredRail
from citepress.payments.drivers import DriverContext, DriverMissingError
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
    Undecided,
    Unreachable,
    Verified,
)
from citepress.payments.rails.rail import Authorization as Method

GAS = {Method.EIP3009: 200_000, Method.PERMIT2: 300_000}
"""Gas limits; a payment takes about half of them."""
FLOOR = 5
"""Payments that the gas must suffice for, or the rail closes."""
PATIENCE = 600
"""Seconds after its end at which a payment that cannot succeed is given up, even where its nonce is not free yet."""
FAULTS = (UnreachableError, RefusedError, GasPriceError)


def driver(materials: DriverContext) -> Driver:
    """The driver of an exact rail. Raises ``DriverMissingError`` for an address or a key that may not be used."""
    opened, key = materials.opened, key_of(materials.opened)
    try:
        account = account_of(key)
    except ValueError as fault:
        raise DriverMissingError(f"the rail {opened.slug}: signer_key_file: {fault}", KEY) from None
    refuse_public_key(opened, account.address)
    if account.address.lower() == opened.pay_to.lower():
        raise DriverMissingError(f"the rail {opened.slug}: pay_to_evm is the signer's own address; money goes to another, cold one", KEY)
    chain = EvmChain(rpc_of(opened))
    purse = GasWallet(chain, opened.place.network, account, opened.settings.max_fee_gwei, materials.clock, materials.probe)
    sdk = EvmSdk(chain.rpc, account.key.hex(), int(opened.place.network.removeprefix("eip155:")))
    return EvmExact(opened, chain, purse, sdk, materials.clock, materials.probe)


class EvmExact:
    """Fills ``payments.ports.Driver``."""

    def __init__(self, opened: ConfiguredRail, chain: EvmChain, purse: GasWallet, sdk: EvmSdk, clock: Clock, probe: Probe) -> None:
        self._opened, self._chain, self._purse, self._sdk, self._clock, self._probe = opened, chain, purse, sdk, clock, probe
        self._truth = EvmTransferVerifier(chain, opened.finality, purse.address)
        self._final = EvmTransferVerifier(chain, FINALIZED, purse.address)

    def identify(self, entry: Entry, payload: Json) -> Identity | PaymentRefused:
        """Shape, canonical key and payer."""
        return authorization.identity(entry, payload)

    def check(self, entry: Entry, payload: Json, now: int) -> Proven | Undecided | PaymentRefused:
        """What can be told without the chain."""
        return authorization.check(entry, payload, now)

    def verify(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | Pending | Unreachable:
        """Whether the chain would make the transfer now, or has made it already."""
        signed = authorization.read(entry, payload)
        try:
            if self._truth.used(signed):
                return made_already(self._truth, entry, signed)
            if refused := contract_wallet.refused(self._chain, entry, signed) or self._sdk.verify(entry, signed):
                return refused
            if signed.method is Method.PERMIT2 and not self._would_pass(signed):
                return PaymentRefused("transaction_simulation_failed", payer=signed.payer)
            return Verified(signed.payer)
        except FAULTS as away:
            return Unreachable(str(away))

    def send(self, entry: Entry, payload: Json, journal: Journal) -> None:
        """Simulate once more, journal, then send. Raises ``UnreachableError`` and ``GasPriceError`` where nothing was journaled."""
        signed = authorization.read(entry, payload)
        if self._truth.used(signed):  # somebody sent it meanwhile: nothing is left to send, and the chain tells the rest
            journal(Plan(str(entry["network"]), "", 0, None))
            return

        def write(contract: str, data: str) -> str:
            self._chain.call(contract, data, sender=self._purse.address)
            return self._purse.pay(Call(contract, data, GAS[signed.method]), journal).tx

        self._sdk.send(entry, signed, write)

    def reconcile(
        self, entry: Entry, payload: Json, sent: Sequence[Sent], journal: Journal | None
    ) -> Paid | Pending | CannotSucceed | Unreachable:
        """The exact transfer, its impossibility, or neither yet; sees to it that what was journaled gets into a block."""
        return self._looked(self._truth, entry, payload, sent, journal)

    def confirm(self, entry: Entry, payload: Json, sent: Sequence[Sent], journal: Journal) -> Paid | Pending | CannotSucceed | Unreachable:
        """The same at the finality that nothing undoes: the nonce lets the transfer be made once, however often it is sent."""
        return self._looked(self._final, entry, payload, sent, journal)

    def _looked(
        self, truth: EvmTransferVerifier, entry: Entry, payload: Json, sent: Sequence[Sent], journal: Journal | None
    ) -> Paid | Pending | CannotSucceed | Unreachable:
        signed = authorization.read(entry, payload)
        try:
            told = truth.look(entry, signed, [one.tx for one in sent if one.tx and one.kind != FILLER])
            if isinstance(told, TransferState):
                return self._tended(signed, told, sent, journal)
            free = self._purse.free(sent, journal)
        except FAULTS as away:
            return Unreachable(str(away))
        if isinstance(told, CannotSucceed) and journal and not free and self._clock() < signed.valid_before + PATIENCE:
            return Pending(_named(sent), signed.payer)
        self._probe("receipt")
        return told

    def _tended(self, signed: Authorized, standing: TransferState, sent: Sequence[Sent], journal: Journal | None) -> Pending:
        """See to a payment that is not decided; one that reverted is only watched, because sending it again would burn gas."""
        if not (standing.used or standing.reverted) and self._clock() < signed.valid_before:
            if any(one.raw for one in sent):
                self._purse.tend(sent, journal)
            elif journal and self._would_pass(signed):  # somebody had sent it, and a reorganisation took it back
                self._purse.pay(Call(calls.contract(signed), calls.calldata(signed), GAS[signed.method]), journal)
        return Pending(standing.tx or _named(sent), signed.payer)

    def _would_pass(self, signed: Authorized) -> bool:
        """Whether the call would succeed now. The SDK simulates EIP-3009 alone, and never looks at a Permit2 nonce."""
        try:
            self._chain.call(calls.contract(signed), calls.calldata(signed), sender=self._purse.address)
        except RefusedError as no:
            if no.reverted:
                return False
            raise
        return True

    def health(self) -> Health:
        """Chain, token, signing domain, contracts, finality, and gas for some payments."""
        try:
            if reason := health.fault(self._chain, self._opened):
                return Health(available=False, reason=reason)
            needed = FLOOR * GAS[self._opened.rail.authorization] * self._purse.fees().most
            if (left := self._purse.balance()) < needed:
                return Health(available=False, reason=f"the gas of {self._purse.address} is below {needed} wei", told=_gas(left, needed))
        except FAULTS as away:
            return Health(available=False, reason=str(away))
        return Health(available=True, told=_gas(left, needed))

    def fee(self) -> int | Unreachable | None:
        """The usual gas of a payment at the present fee, and what a chain above asks for the data."""
        gas = GAS[self._opened.rail.authorization] // 2
        try:
            return gas * self._purse.present() + data_fee(self._chain, self._opened)
        except FAULTS as away:
            return Unreachable(str(away))

    def extra(self) -> Json:
        """Nothing of its own."""
        return {}


def _gas(left: int, needed: int) -> str:
    """The gas of a signer, for the operator."""
    return f"{left} wei of gas are left, {needed} are the least"


def _named(sent: Sequence[Sent]) -> str:
    """The transaction that an answer names."""
    return next((one.tx for one in reversed(sent) if one.tx and one.kind != FILLER), "")
