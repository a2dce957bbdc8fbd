"""Solana transactions and addresses, read without a library: what facilitator and native drivers need of them; pure."""

import hashlib
from dataclasses import dataclass

from citepress.base.errors import CitepressError
from citepress_payments.base58 import base58, is_point, unbase58

MAX_TRANSACTION_BYTES = 1232
"""Of a transaction: one packet."""
MEMO = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
SYSTEM = "11111111111111111111111111111111"
BUDGET = "ComputeBudget111111111111111111111111111111"
LIGHTHOUSE = "L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95"
TOKENS = ("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
"""The token program and Token-2022."""
_ACCOUNTS = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
"""The program of associated token accounts."""
_KEY, _SIGNATURE, _V0 = 32, 64, 0x80
_MARKER = b"ProgramDerivedAddress"


class TransactionError(CitepressError, ValueError):
    """Bytes that are not a version 0 transaction without lookup tables; the message says why."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One top-level instruction."""

    program: str
    accounts: tuple[str, ...]
    data: bytes


@dataclass(frozen=True, slots=True)
class Message:
    """A transaction's message with its signatures."""

    raw: bytes
    """What is signed."""
    signatures: tuple[bytes, ...]
    keys: tuple[str, ...]
    """Accounts; the first pays the fee."""
    signers: int
    """How many of them sign."""
    blockhash: str
    instructions: tuple[Instruction, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the message, hex."""
        return hashlib.sha256(self.raw).hexdigest()


class _ByteReader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, length: int) -> bytes:
        part = self.data[self.at : self.at + length]
        if len(part) != length:
            raise TransactionError("it ends too early")
        self.at += length
        return part

    def byte(self) -> int:
        return self.take(1)[0]

    def count(self) -> int:
        """A length in Solana's compact form."""
        value = 0
        for place in range(3):
            byte = self.byte()
            value |= (byte & 0x7F) << (7 * place)
            if not byte & 0x80:
                if place and not byte:
                    break  # a longer spelling of a shorter number
                return value
        raise TransactionError("a length is not in its one spelling")


def read_transaction(data: bytes) -> Message:
    """A transaction of version 0 without lookup tables. Raises ``TransactionError``."""
    if len(data) > MAX_TRANSACTION_BYTES:
        raise TransactionError(f"it may hold {MAX_TRANSACTION_BYTES} bytes")
    reader = _ByteReader(data)
    signatures = tuple(reader.take(_SIGNATURE) for _ in range(reader.count()))
    start = reader.at
    if reader.byte() != _V0:
        raise TransactionError("it is not of version 0")
    signers, _, _ = reader.byte(), reader.byte(), reader.byte()
    keys = tuple(base58(reader.take(_KEY)) for _ in range(reader.count()))
    blockhash = base58(reader.take(_KEY))
    instructions = tuple(_instruction(reader, keys) for _ in range(reader.count()))
    # Accounts of a table are not in the message, so nobody could tell from it what it moves.
    if reader.count():
        raise TransactionError("it uses lookup tables")
    if reader.at != len(data) or not 0 < signers == len(signatures) <= len(keys):
        raise TransactionError("its signatures and its length do not fit")
    return Message(data[start:], signatures, keys, signers, blockhash, instructions)


def _instruction(reader: _ByteReader, keys: tuple[str, ...]) -> Instruction:
    program, accounts = reader.byte(), reader.take(reader.count())
    if max((program, *accounts)) >= len(keys):
        raise TransactionError("an instruction names an account that is not there")
    return Instruction(keys[program], tuple(keys[place] for place in accounts), reader.take(reader.count()))


def token_account(owner: str, mint: str, program: str) -> str:
    """The associated token account of an owner: the first address below its seeds that is not a public key."""
    seeds = unbase58(owner) + unbase58(program) + unbase58(mint)
    for bump in range(255, -1, -1):
        address = hashlib.sha256(seeds + bytes([bump]) + unbase58(_ACCOUNTS) + _MARKER).digest()
        if not is_point(address):
            return base58(address)
    raise ValueError("no address is free")
