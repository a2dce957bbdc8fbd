"""The account that pays for gas: its transactions, their fees, and the nonces that nothing may block."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_utils.address import to_checksum_address
from hexbytes import HexBytes

from citepress.base.errors import CitepressError
from citepress_payments.chains.evm.client import EvmChain
from citepress_payments.chains.jsonrpc import DisagreementError, RefusedError, UnreachableError
from citepress_payments.ports.chain import JournalWrite, Plan, Sent, Signed
from citepress_payments.ports.prices import Clock, ProbePoint

BUMP, FILLER = "bump", "filler"
STUCK = 30
"""Seconds after which a transaction that no block took is sent again for a higher fee."""
NONCE_GAP_S = 60
"""Seconds after which a nonce below ours that nobody uses is filled."""
RAISE, HUNDRED = 125, 100
"""A replacement pays a quarter more; nodes ask for a tenth."""
THERE = ("already known", "known transaction", "already imported", "nonce too low")
"""What nodes say of a transaction that they have, or whose nonce is in a block."""
FILLER_GAS = 21_000
GWEI = 10**9
MAX_FEE_GWEI = 500
"""The cap where the operator sets none."""
log = logging.getLogger(__name__)


class GasPriceError(CitepressError):
    """Gas costs more than the operator allows."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a transaction does, fees and nonce aside."""

    to: str
    data: str
    gas: int


@dataclass(frozen=True, slots=True)
class Fees:
    """EIP-1559 fees in wei per unit of gas."""

    most: int
    tip: int


class GasWallet:
    """Signs, journals and sends. Methods raise ``UnreachableError``, and what the journal raises."""

    def __init__(
        self,
        chain: EvmChain,
        network: str,
        account: LocalAccount,
        cap_gwei: int | None,
        clock: Clock,
        probe: ProbePoint,
    ) -> None:
        """``cap_gwei``: the most that a unit of gas may cost."""
        self._chain, self._network, self._account, self._clock, self._probe = chain, network, account, clock, probe
        self._cap = (cap_gwei or MAX_FEE_GWEI) * GWEI
        self._id = int(network.removeprefix("eip155:"))

    @property
    def address(self) -> str:
        """The account's address, with its checksum."""
        return str(self._account.address)

    def balance(self) -> int:
        """Wei that the account holds."""
        return self._chain.balance(self.address)

    def present(self) -> int:
        """Wei that a unit of gas costs in the present block."""
        return self._chain.head("latest").base_fee + self._chain.tip()

    def fees(self, above: Fees | None = None) -> Fees:
        """What to pay now, at least a quarter more than ``above``. Raises ``GasPriceError``."""
        base, tip = self._chain.head("latest").base_fee, self._chain.tip()
        # The base fee rises by an eighth a block at most (EIP-1559): twice of it lasts for half a dozen full blocks.
        most = 2 * base + tip
        if above:
            tip, most = max(tip, _raised(above.tip)), max(most, _raised(above.most))
        # What nodes insist on is compared with the cap, not what we would like to offer.
        lowest = _raised(above.most) if above else base + tip
        if lowest > self._cap:
            raise GasPriceError(
                f"a unit of gas costs {lowest // GWEI} gwei or more, and {self._cap // GWEI} are allowed"
            )
        most = min(max(most, 1), self._cap)
        return Fees(most, min(tip, most))

    def pay(self, call: Call, journal: JournalWrite) -> Sent:
        """Journal a transaction with the next nonce, then send it.

        Raises ``GasPriceError``; a node's refusal is left for later.
        """
        fees = self.fees()
        # The journal takes the further one of this and its own count: a node forgets what waits, and another process
        # may have used the account.
        pending = self._chain.count(self.address, "pending")
        sent = journal(Plan(self._network, self.address, pending, lambda nonce: self._signed(call, fees, nonce)))
        self._probe("journal")
        self.send(sent)
        self._probe("broadcast")
        return sent

    def send(self, sent: Sent) -> bool:
        """Send journaled bytes; whether a node has them. It may be repeated at any time."""
        try:
            self._chain.rpc.broadcast("eth_sendRawTransaction", "0x" + sent.raw.hex())
        except RefusedError as no:
            # A refusal because it is there already is what was wanted: the same bytes may be sent any number of times.
            if any(word in no.message.lower() for word in THERE):
                return True
            log.warning("the chain %s did not take a transaction: %s", self._network, no)
            return False
        except UnreachableError as away:
            log.warning("a transaction could not be sent: %s", away)
            return False
        return True

    def bump(self, sent: Sequence[Sent], journal: JournalWrite | None) -> None:
        """Get the last transaction mined: resend it, raise its fee, fill a gap below it, or use a new nonce."""
        last = self._last(sent)
        if last is None or last.nonce is None:
            return
        age = self._clock() - last.created_at
        if last.nonce < self._chain.count(self.address, "latest"):
            # Not at once: the count of a nonce may be known before the receipt of our own transaction.
            if age >= STUCK and journal and not self._mined(sent):  # another transaction took the nonce
                self._dearly(lambda: self.pay(_call(last), journal))
            return
        # Nodes drop what they cannot include. The very same bytes are sent again, so that nothing is paid twice.
        if not self._is_known(last.tx):
            self.send(last)
        if age >= STUCK and journal:
            self._dearly(lambda: self._hurry(last, age, journal))

    def release_nonce(self, sent: Sequence[Sent], journal: JournalWrite | None) -> bool:
        """Fill the nonce of a payment that needs it no more, so that it blocks nobody; whether a block has used it."""
        last = self._last(sent)
        if last is None or last.nonce is None or last.nonce < self._chain.count(self.address, "latest"):
            return True
        # Every later payment of the account waits for this nonce, so it has to be used up, if for nothing.
        nonce = last.nonce
        if last.kind == FILLER and self._clock() - last.created_at < STUCK:
            self.send(last)
        elif journal is not None:
            self._dearly(lambda: self._fill(nonce, _fees(last), journal))
        return False

    def try_to_pay(self, call: Call, journal: JournalWrite) -> None:
        """As ``pay``, unless gas is too dear now."""
        self._dearly(lambda: self.pay(call, journal))

    def _hurry(self, last: Sent, age: int, journal: JournalWrite) -> bool:
        nonce = last.nonce or 0
        waiting = self._chain.count(self.address, "pending")
        # A higher fee would not help: no block takes a transaction before the nonces below it are used.
        if waiting < nonce:  # something below it is missing
            return age >= NONCE_GAP_S and self._fill(waiting, None, journal)
        fees, call = self.fees(_fees(last)), _call(last)
        return self.send(journal(self._again(BUMP, nonce, call, fees)))

    def _fill(self, nonce: int, above: Fees | None, journal: JournalWrite) -> bool:
        fees = self.fees(above)
        # A transfer of nothing to ourselves: it uses up the nonce and moves no money.
        return self.send(journal(self._again(FILLER, nonce, Call(self.address, "0x", FILLER_GAS), fees)))

    def _again(self, kind: str, nonce: int, call: Call, fees: Fees) -> Plan:
        return Plan(
            self._network, self.address, 0, lambda given: self._signed(call, fees, given), kind=kind, nonce=nonce
        )

    def _signed(self, call: Call, fees: Fees, nonce: int) -> Signed:
        transaction: dict[str, Any] = {
            "type": 2,
            "chainId": self._id,
            "nonce": nonce,
            "to": call.to,
            "data": call.data,
            "value": 0,
            "gas": call.gas,
            "maxFeePerGas": fees.most,
            "maxPriorityFeePerGas": fees.tip,
        }
        signed = self._account.sign_transaction(transaction)
        return Signed("0x" + bytes(signed.hash).hex(), bytes(signed.raw_transaction))

    def _is_known(self, tx: str) -> bool:
        """Whether as many nodes as the quorum have a transaction, mined or not."""
        try:
            return self._chain.transaction(tx) is not None
        # To send what they have does no harm; not to send what some of them dropped would.
        except DisagreementError:
            return False

    def _mined(self, sent: Sequence[Sent]) -> bool:
        return any(self._chain.receipt(broadcast.tx) for broadcast in sent if broadcast.tx)

    def _last(self, sent: Sequence[Sent]) -> Sent | None:
        """The newest transaction of the payment's own nonce; what only filled a gap does not count."""
        own = [broadcast for broadcast in sent if broadcast.raw and broadcast.signer.lower() == self.address.lower()]
        nonce = next((broadcast.nonce for broadcast in reversed(own) if broadcast.kind != FILLER), None)
        return next((broadcast for broadcast in reversed(own) if broadcast.nonce == nonce), None)

    @staticmethod
    def _dearly(work: Callable[[], object]) -> bool:
        try:
            return bool(work())
        except GasPriceError as dear:
            log.warning("a transaction waits: %s", dear)
            return False


def account_of(key: str) -> LocalAccount:
    """The account of a private key, 64 hexadecimal digits. Raises ``ValueError`` without telling it."""
    try:
        account: LocalAccount = Account.from_key(key if key.startswith("0x") else f"0x{key}")
    except Exception:  # noqa: BLE001  (whatever the library says may hold the key)
        raise ValueError("no private key of an EVM account") from None
    return account


def _call(sent: Sent) -> Call:
    transaction = _transaction(sent)
    return Call(str(to_checksum_address(transaction["to"])), str(transaction["data"]), int(transaction["gas"]))


def _fees(sent: Sent) -> Fees:
    transaction = _transaction(sent)
    return Fees(int(transaction["maxFeePerGas"]), int(transaction["maxPriorityFeePerGas"]))


def _transaction(sent: Sent) -> dict[str, Any]:
    """The members of a journaled transaction."""
    members: dict[str, Any] = TypedTransaction.from_bytes(HexBytes(sent.raw)).as_dict()
    return members | {"to": "0x" + bytes(members["to"]).hex(), "data": "0x" + bytes(members["data"]).hex()}


def _raised(fee: int) -> int:
    return -(-fee * RAISE // HUNDRED)
