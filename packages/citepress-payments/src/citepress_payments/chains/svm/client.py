"""Typed answers of a Solana cluster."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citepress_payments.base58 import base58, unbase58
from citepress_payments.chains.jsonrpc import Rpc, answered
from citepress_payments.chains.svm.transaction import MEMO, SYSTEM

FINALIZED, CONFIRMED = "finalized", "confirmed"
_GENESIS = 32
"""Letters of the genesis hash in a CAIP-2 name."""
_SIGNATURES = 1000
_TRANSFER = 2
_DECIMALS_AT, _TOKEN_BYTES = 44, 72


@dataclass(frozen=True, slots=True)
class Account:
    """An account's owner (a program) and its data."""

    program: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Exact:
    """A transaction with tokens: its bytes, whether it failed, and how its accounts' token balances changed."""

    data: bytes
    failed: bool
    changes: tuple[tuple[int, str, int], ...]
    """(place among the accounts, mint, change in units)."""
    fee: int | None = None
    """Lamports that its fee payer paid; ``None`` where the node does not say."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """A top-level transfer of the system program."""

    source: str
    target: str
    lamports: int


@dataclass(frozen=True, slots=True)
class Native:
    """A transaction with lamports: what it moved at top level, its memos, and how balances changed."""

    failed: bool
    time: int
    transfers: tuple[Transfer, ...]
    memos: tuple[str, ...]
    changes: tuple[tuple[str, int], ...]


class SvmChain:
    """Questions to one cluster. Every method raises ``UnreachableError`` and ``RefusedError``."""

    def __init__(self, rpc: Rpc) -> None:
        self.rpc = rpc

    def network(self) -> str:
        """Its CAIP-2 name."""
        return "solana:" + answered(self.rpc.agreed(str, "getGenesisHash"))[:_GENESIS]

    def exact(self, tx: str) -> Exact | None:
        """A finalized transaction with its token balances."""
        return self.rpc.agreed(_exact, "getTransaction", tx, _how("base64"))

    def native(self, tx: str) -> Native | None:
        """A finalized transaction with its lamports."""
        return self.rpc.agreed(_native, "getTransaction", tx, _how("json"))

    def is_known(self, tx: str) -> bool:
        """Whether the nodes saw a transaction in a block, final or not."""
        return bool(self.rpc.agreed(_is_seen, "getSignatureStatuses", [tx], {"searchTransactionHistory": True}))

    def is_expired(self, blockhash: str) -> bool:
        """Whether a blockhash is too old. One too new for the finalized slot is still valid at the confirmed one."""
        return not any(
            self.rpc.agreed(_value, "isBlockhashValid", blockhash, {"commitment": commitment})
            for commitment in (CONFIRMED, FINALIZED)
        )

    def with_memo(self, address: str, memo: str) -> list[str]:
        """Finalized transactions of an account whose memo holds a text, newest first."""
        signatures = (
            self.rpc.agreed(_memos, "getSignaturesForAddress", address, {"limit": _SIGNATURES, "commitment": FINALIZED})
            or ()
        )
        return [tx for tx, held in signatures if memo in held]

    def account(self, address: str) -> Account | None:
        """An account."""
        return self.rpc.agreed(_account, "getAccountInfo", address, {"encoding": "base64", "commitment": FINALIZED})

    def balance(self, address: str) -> int:
        """Lamports of an account."""
        return int(answered(self.rpc.agreed(_value, "getBalance", address, {"commitment": CONFIRMED})))

    def fault(self, transaction: bytes) -> str:
        """Why a signed transaction would fail; empty where it would not."""
        how = {"encoding": "base64", "sigVerify": True, "commitment": CONFIRMED}
        simulation = _value(self.rpc.first("simulateTransaction", base64.b64encode(transaction).decode(), how))
        return str(simulation["err"]) if simulation["err"] else ""

    def send(self, transaction: bytes) -> None:
        """Hand a signed transaction to every node."""
        # It was simulated before; a node that is a little behind would refuse a blockhash that it does not know yet.
        how = {"encoding": "base64", "skipPreflight": True, "maxRetries": 3}
        self.rpc.broadcast("sendTransaction", base64.b64encode(transaction).decode(), how)


def decimals(mint: Account) -> int:
    """Decimals of a mint."""
    return mint.data[_DECIMALS_AT] if len(mint.data) > _DECIMALS_AT else -1


def holder(account: Account) -> tuple[str, str]:
    """(mint, owner) of a token account."""
    return (base58(account.data[:32]), base58(account.data[32:64])) if len(account.data) >= _TOKEN_BYTES else ("", "")


def _how(encoding: str) -> dict[str, object]:
    return {"commitment": FINALIZED, "maxSupportedTransactionVersion": 0, "encoding": encoding}


def _value(answer: Any) -> Any:  # noqa: ANN401  (JSON is any shape)
    return answer["value"]


def _is_seen(answer: Any) -> bool:  # noqa: ANN401
    # Not the status itself: the number of its confirmations differs from node to node.
    return answer["value"][0] is not None


def _account(answer: Any) -> Account | None:  # noqa: ANN401
    value = answer["value"]
    return Account(str(value["owner"]), base64.b64decode(value["data"][0])) if value else None


def _memos(answer: Any) -> tuple[tuple[str, str], ...]:  # noqa: ANN401
    return tuple((str(signature["signature"]), str(signature.get("memo") or "")) for signature in answer)


def _exact(answer: Any) -> Exact:  # noqa: ANN401
    meta = answer["meta"]
    before, after = _units(meta["preTokenBalances"]), _units(meta["postTokenBalances"])
    changes = tuple((*place, after.get(place, 0) - before.get(place, 0)) for place in sorted(before | after))
    return Exact(base64.b64decode(answer["transaction"][0]), meta["err"] is not None, changes, meta.get("fee"))


def _units(balances: Any) -> dict[tuple[int, str], int]:  # noqa: ANN401
    return {
        (int(balance["accountIndex"]), str(balance["mint"])): int(balance["uiTokenAmount"]["amount"])
        for balance in balances
    }


def _native(answer: Any) -> Native:  # noqa: ANN401
    meta, message = answer["meta"], answer["transaction"]["message"]
    loaded: Mapping[str, Any] = meta.get("loadedAddresses") or {}
    keys = [*message["accountKeys"], *loaded.get("writable", ()), *loaded.get("readonly", ())]
    transfers, memos = [], []
    for step in message["instructions"]:
        program, data = keys[step["programIdIndex"]], unbase58(step["data"])
        if program == SYSTEM and len(data) == 12 and int.from_bytes(data[:4], "little") == _TRANSFER:  # noqa: PLR2004  (u32 and u64)
            source, target = (keys[place] for place in step["accounts"][:2])
            transfers.append(Transfer(source, target, int.from_bytes(data[4:], "little")))
        elif program == MEMO:
            memos.append(data.decode(errors="replace"))
    changes = zip(keys, meta["preBalances"], meta["postBalances"], strict=True)
    return Native(
        meta["err"] is not None,
        int(answer["blockTime"]),
        tuple(transfers),
        tuple(memos),
        tuple((key, after - before) for key, before, after in changes),
    )
