"""EIP-3009 and Permit2 payments that we send ourselves: the SDK verifies and encodes, and the chain decides."""

from collections.abc import Sequence
from dataclasses import replace

from citepress_payments.chains.evm import authorization, calls
from citepress_payments.chains.evm.authorization import Authorized
from citepress_payments.chains.evm.client import EvmChain
from citepress_payments.chains.evm.data_fee import data_fee
from citepress_payments.chains.evm.gas_wallet import FILLER, Call, GasPriceError, GasWallet, account_of
from citepress_payments.chains.evm.reader import EvmReader
from citepress_payments.chains.evm.sdk import EvmSdk
from citepress_payments.chains.exact_driver import ExactDriver, Sender
from citepress_payments.chains.jsonrpc import RefusedError
from citepress_payments.chains.nodes import KEY, key_of, refuse_public_key, rpc_of
from citepress_payments.chains.reader import TransferState
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.drivers import DriverContext, DriverMissingError
from citepress_payments.ports.chain import (
    CannotSucceed,
    Driver,
    Health,
    JournalWrite,
    NetworkFee,
    Paid,
    PaymentRefused,
    Pending,
    Plan,
    Sent,
    UnknownFee,
    Verified,
)
from citepress_payments.ports.prices import Clock
from citepress_payments.ports.rows import Json, PaymentEntry
from citepress_payments.rails.rail import Authorization as Method

GAS = {Method.EIP3009: 200_000, Method.PERMIT2: 300_000}
"""Gas limits; a payment takes about half of them."""
FLOOR = 5
"""Payments that the gas must suffice for, or the rail closes."""
GIVE_UP_AFTER_S = 600
"""Seconds after its end at which a payment that cannot succeed is given up, even where its nonce is not free yet."""
WAITING = "a transaction of this payment was not in a block yet"
UNPRICED = "the node's receipt does not state the gas price"


def driver(context: DriverContext) -> Driver:
    """The driver of an exact rail. Raises ``DriverMissingError`` for an address or a key that may not be used."""
    opened, key = context.opened, key_of(context.opened)
    try:
        account = account_of(key)
    except ValueError as fault:
        raise DriverMissingError(f"the rail {opened.slug}: signer_key_file: {fault}", KEY) from None
    refuse_public_key(opened, account.address)
    if account.address.lower() == opened.pay_to.lower():
        raise DriverMissingError(
            f"the rail {opened.slug}: pay_to_evm is the signer's own address; money goes to another, cold one", KEY
        )
    chain = EvmChain(rpc_of(opened))
    wallet = GasWallet(chain, opened.place.network, account, opened.settings.max_fee_gwei, context.clock, context.probe)
    sdk = EvmSdk(chain.rpc, account.key.hex(), int(opened.place.network.removeprefix("eip155:")))
    reader = EvmReader(opened, context.clock, chain)
    return ExactDriver(reader, EvmSender(opened, chain, reader, wallet, sdk, context.clock), context.probe)


class EvmSender(Sender):
    """Sends from an account of ours that holds gas."""

    def __init__(
        self, opened: ConfiguredRail, chain: EvmChain, reader: EvmReader, wallet: GasWallet, sdk: EvmSdk, clock: Clock
    ) -> None:
        self._opened, self._chain, self._reader = opened, chain, reader
        self._wallet, self._sdk, self._clock = wallet, sdk, clock

    def verify(self, entry: PaymentEntry, payload: Json) -> Verified | PaymentRefused:
        """Whether the contract would make the transfer now."""
        signed = authorization.read_authorization(entry, payload)
        refused = self._sdk.verify(entry, signed)
        if refused:
            return refused
        if signed.method is Method.PERMIT2 and not self._would_pass(signed):
            return PaymentRefused("transaction_simulation_failed", payer=signed.payer)
        return Verified(signed.payer)

    def send(self, entry: PaymentEntry, payload: Json, journal: JournalWrite) -> None:
        """Simulate once more, journal, then send.

        Raises ``UnreachableError`` and ``GasPriceError`` where nothing was journaled.
        """
        signed = authorization.read_authorization(entry, payload)
        if self._reader.is_used(signed):
            journal(Plan(str(entry["network"]), "", 0, None))  # somebody sent it meanwhile: nothing is left to send
            return

        def write(contract: str, data: str) -> str:
            self._chain.call(contract, data, sender=self._wallet.address)
            return self._wallet.pay(Call(contract, data, GAS[signed.method]), journal).tx

        self._sdk.send(entry, signed, write)

    def transactions(self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent]) -> Sequence[str]:
        """What we sent for the payment; a filler pays nobody."""
        del entry, payload
        return [broadcast.tx for broadcast in sent if broadcast.tx and broadcast.kind != FILLER]

    def pursue(
        self,
        entry: PaymentEntry,
        payload: Json,
        state: TransferState,
        sent: Sequence[Sent],
        journal: JournalWrite | None,
    ) -> Pending:
        """Get what was journaled into a block.

        A payment that reverted is only watched, because sending it again would burn gas.
        """
        signed = authorization.read_authorization(entry, payload)
        pending = Pending(state.tx or _newest(sent), signed.payer)
        if state.used or state.reverted or self._clock() >= signed.valid_before:
            return pending
        if any(broadcast.raw for broadcast in sent):
            self._wallet.bump(sent, journal)
        elif journal and self._would_pass(signed):  # somebody had sent it, and a reorganisation took it back
            self._wallet.try_to_pay(Call(calls.contract(signed), calls.calldata(signed), GAS[signed.method]), journal)
        return pending

    def conclude(
        self,
        entry: PaymentEntry,
        payload: Json,
        outcome: Paid | CannotSucceed,
        sent: Sequence[Sent],
        journal: JournalWrite | None,
    ) -> Paid | CannotSucceed | Pending:
        """Free the nonce, and add up what we paid.

        A sale waits for nothing more. A failure waits until the filler of its nonce is mined, for a while.
        """
        signed = authorization.read_authorization(entry, payload)
        free = self._wallet.release_nonce(sent, journal)
        may_wait = journal and self._clock() < signed.valid_before + GIVE_UP_AFTER_S
        if isinstance(outcome, CannotSucceed) and not free and may_wait:
            return Pending(_newest(sent), signed.payer)
        return replace(outcome, fee=self._spent(sent) if free else UnknownFee(WAITING))

    def _spent(self, sent: Sequence[Sent]) -> NetworkFee:
        """Wei that all our mined transactions for a payment cost: a filler burns gas as well as a payment does."""
        receipts = [self._chain.receipt(broadcast.tx) for broadcast in sent if broadcast.raw]
        fees = [receipt.fee for receipt in receipts if receipt]
        return UnknownFee(UNPRICED) if None in fees else sum(fee or 0 for fee in fees)

    def _would_pass(self, signed: Authorized) -> bool:
        """Whether the call would succeed now. The SDK simulates EIP-3009 alone, and never looks at a Permit2 nonce."""
        try:
            self._chain.call(calls.contract(signed), calls.calldata(signed), sender=self._wallet.address)
        except RefusedError as refusal:
            if refusal.reverted:
                return False
            raise
        return True

    def health(self) -> Health:
        """Gas for some payments."""
        try:
            needed = FLOOR * GAS[self._opened.rail.authorization] * self._wallet.fees().most
        except GasPriceError as dear:
            return Health(available=False, reason=str(dear))
        left = self._wallet.balance()
        note = f"{left} wei of gas are left, {needed} are the least"
        if left < needed:
            reason = f"the gas of {self._wallet.address} is below {needed} wei"
            return Health(available=False, reason=reason, note=note)
        return Health(available=True, note=note)

    def fee(self) -> int | None:
        """The usual gas of a payment at the present fee, and what a layer-2 chain charges for the data."""
        gas = GAS[self._opened.rail.authorization] // 2
        return gas * self._wallet.present() + data_fee(self._chain, self._opened)


def _newest(sent: Sequence[Sent]) -> str:
    """The transaction that an answer names."""
    return next((broadcast.tx for broadcast in reversed(sent) if broadcast.tx and broadcast.kind != FILLER), "")
