"""What a stock buyer's Solana payment must be: its strict shape, its one transfer, its memo and its fee; pure."""

import base64
import binascii
from dataclasses import dataclass

from citepress.base.errors import CitepressError
from citepress_payments.chains.svm import transaction
from citepress_payments.chains.svm.transaction import BUDGET, LIGHTHOUSE, MEMO, TOKENS, Instruction, Message
from citepress_payments.ports.chain import CheckResult, Identity, PaymentRefused, Undecided
from citepress_payments.ports.rows import Json, PaymentEntry

MAX_EXTRA_LAMPORTS = 100_000
"""Lamports that a payment may cost us above the base fee; a stock buyer asks for less than one."""
MAX_UNIT_PRICE = 5_000_000
"""Millionths of a lamport for a compute unit, at most."""
_LIMIT, _PRICE = 2, 3
_LIMIT_BYTES, _PRICE_BYTES = 5, 9
_CHECKED = (4, 10, b"\x0c")
"""TransferChecked: source, mint, target and owner; its number, the amount and the decimals."""
_LEAST, _MOST = 4, 6
"""Instructions: limit, price, transfer, memo, and two guards of wallets at most."""


@dataclass(frozen=True, slots=True)
class SvmPayment:
    """A payment in parts."""

    message: Message
    program: str
    source: str
    mint: str
    target: str
    owner: str
    """Who pays."""
    amount: int
    memos: tuple[bytes, ...]
    fee: int
    """Lamports above the base fee."""


class PaymentShapeError(CitepressError, ValueError):
    """The payload is not a payment of the scheme; the message says why."""


def read_payment(payload: Json) -> SvmPayment:
    """The payment of a payload. Raises ``PaymentShapeError``."""
    text = payload.get("transaction")
    if set(payload) != {"transaction"} or not isinstance(text, str):
        raise PaymentShapeError("payload has the member transaction, a string, and no others")
    try:
        data = base64.b64decode(text, validate=True)
        message = transaction.read_transaction(data)
    except (binascii.Error, ValueError) as fault:
        raise PaymentShapeError(f"transaction: {fault}") from None
    # One spelling, because the ledger compares proofs byte by byte.
    if base64.b64encode(data).decode() != text:
        raise PaymentShapeError("transaction is not standard base64")
    return _parts(message)


def identity(entry: PaymentEntry, payload: Json) -> Identity | PaymentRefused:
    """The canonical key of a payment and its payer; pure."""
    try:
        paid = read_payment(payload)
    except PaymentShapeError as fault:
        return PaymentRefused("invalid_payload", str(fault))
    return Identity(f"svm|{entry['network']}|{paid.message.digest}", paid.owner)


def check(entry: PaymentEntry, payload: Json) -> CheckResult:
    """Recipient, amount, mint, memo and fee payer; who signed is for the chain to check."""
    try:
        paid = read_payment(payload)
    except PaymentShapeError as fault:
        return PaymentRefused("invalid_payload", str(fault))
    if broken := _fault(entry, paid):
        return PaymentRefused(*broken, payer=paid.owner)
    return Undecided()


def target(entry: PaymentEntry, program: str) -> str:
    """The token account that is paid."""
    return transaction.token_account(str(entry["payTo"]), str(entry["asset"]), program)


def _fault(entry: PaymentEntry, paid: SvmPayment) -> tuple[str, str] | None:
    """(code, detail) of the first rule that a payment breaks."""
    extra, ours = entry["extra"], str(entry["extra"].get("feePayer"))
    # Our account signs the whole message: named by any instruction, it could be made to pay or to approve.
    elsewhere = any(ours in instruction.accounts for instruction in paid.message.instructions)
    rules = (
        (paid.mint == entry["asset"], "invalid_exact_svm_payload_mint_mismatch", "the token is not the entry's asset"),
        (
            paid.target == target(entry, paid.program),
            "recipient_mismatch",
            "the transfer is not to payTo's token account",
        ),
        (paid.amount == int(entry["amount"]), "amount_mismatch", "the amount is not the entry's"),
        (paid.memos == (str(extra["memo"]).encode(),), "terms_hash_mismatch", "the one memo is not the entry's"),
        (paid.message.keys[0] == ours, "fee_payer_not_managed_by_facilitator", "another account pays the fee"),
        (
            paid.owner not in {ours, entry["payTo"]} and not elsewhere,
            "invalid_payload",
            "this account cannot be a payer",
        ),
        (paid.fee <= MAX_EXTRA_LAMPORTS, "invalid_payload", f"the fee is above {MAX_EXTRA_LAMPORTS} lamports"),
    )
    return next(((code, detail) for holds, code, detail in rules if not holds), None)


def _parts(message: Message) -> SvmPayment:
    steps = message.instructions
    if not _LEAST <= len(steps) <= _MOST:
        raise PaymentShapeError(f"a payment has {_LEAST} to {_MOST} instructions")
    limit, price, transfer, *others = steps
    units, micros = _number(limit, BUDGET, _LIMIT, _LIMIT_BYTES), _number(price, BUDGET, _PRICE, _PRICE_BYTES)
    if micros > MAX_UNIT_PRICE:
        raise PaymentShapeError("the price of a compute unit is too high")
    shape = (len(transfer.accounts), len(transfer.data), transfer.data[:1])
    if transfer.program not in TOKENS or shape != _CHECKED:
        raise PaymentShapeError("the third instruction is TransferChecked of the token program")
    # Any other program could move more than the one transfer, or spoil it after the fee is ours.
    if any(instruction.program not in {MEMO, LIGHTHOUSE} for instruction in others):
        raise PaymentShapeError("after the transfer come memos and guards of wallets alone")
    source, mint, into, owner = transfer.accounts
    memos = tuple(instruction.data for instruction in others if instruction.program == MEMO)
    amount = int.from_bytes(transfer.data[1:9], "little")
    return SvmPayment(
        message, transfer.program, source, mint, into, owner, amount, memos, -(-units * micros // 1_000_000)
    )


def _number(step: Instruction, program: str, kind: int, length: int) -> int:
    if step.program != program or len(step.data) != length or step.data[0] != kind:
        raise PaymentShapeError("it begins with compute limit and compute price")
    return int.from_bytes(step.data[1:], "little")
