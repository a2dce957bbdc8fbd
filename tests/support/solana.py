"""Solana in one process: LiteSVM behind JSON-RPC, with slots, finality and the history that it lacks."""

import base64
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from solders.account import Account
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.litesvm import LiteSVM
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata

from citepress_payments.base58 import base58
from citepress_payments.chains.svm.transaction import MEMO, SYSTEM, TOKENS, token_account
from support.fake_http_server import answering, rpc

GENESIS = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"
"""Of the devnet."""
MINT = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
FINAL_AFTER, GOOD_FOR = 32, 150
"""Slots until a transaction is final, and for which a blockhash is good."""
SOL = 10**9
HELD = 10**9
CODE = 12
FEE = 5_000
"""Lamports for each signature."""


@dataclass
class LandedTransaction:
    """A transaction in a slot."""

    tx: VersionedTransaction
    slot: int
    time: int
    err: str | None
    before: list[tuple[int, tuple[str, int] | None]]
    after: list[tuple[int, tuple[str, int] | None]]


@dataclass
class Cluster:
    """A devnet of one node; a test moves its slots."""

    now: int
    vm: LiteSVM = field(default_factory=LiteSVM)
    slot: int = 1000
    transactions: dict[str, LandedTransaction] = field(default_factory=dict)
    hashes: dict[str, int] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    silent: bool = False
    """Whether it leaves fees out of what it says of a transaction."""
    lost: bool = False
    """Whether it forgets what it is sent."""
    url: str = ""

    def __post_init__(self) -> None:
        self._remember()

    # what a test does

    def advance(self, slots: int) -> None:
        """Let slots go by, with a new blockhash."""
        self.slot += slots
        self.now += slots // 2
        self.vm.expire_blockhash()
        self._remember()

    def mint(self, owner: str, units: int, mint: str = MINT, decimals: int = 6) -> None:
        """A token account with units in it."""
        if self.vm.get_account(Pubkey.from_string(mint)) is None:
            self._put(mint, TOKENS[0], bytes(36) + HELD.to_bytes(8, "little") + bytes([decimals, 1]) + bytes(36))
        data = (
            bytes(Pubkey.from_string(mint))
            + bytes(Pubkey.from_string(owner))
            + units.to_bytes(8, "little")
            + bytes(36)
            + b"\1"
            + bytes(56)
        )
        self._put(token_account(owner, mint, TOKENS[0]), TOKENS[0], data)

    def units(self, owner: str, mint: str = MINT) -> int:
        """What an owner holds."""
        held = self._token(Pubkey.from_string(token_account(owner, mint, TOKENS[0])))
        return held[1] if held else 0

    def send(self, tx: VersionedTransaction) -> str:
        """Execute a transaction, as any node would."""
        name = str(tx.signatures[0])
        if name not in self.transactions:
            before = self._balances(tx)
            outcome = self.vm.send_transaction(tx)
            err = str(outcome.err()) if isinstance(outcome, FailedTransactionMetadata) else None
            if err is None or "Instruction" in err:  # other faults keep a transaction out of every block
                self.transactions[name] = LandedTransaction(tx, self.slot, self.now, err, before, self._balances(tx))
        return name

    # what it answers

    def answer(self, method: str, params: list[Any]) -> Any:
        """The result of a method."""
        self.calls.append(method)
        how = next((option for option in params if isinstance(option, dict)), {})
        until = self.slot - (FINAL_AFTER if how.get("commitment") == "finalized" else 0)
        return getattr(self, "_" + method)(params, until, how)

    def _getGenesisHash(self, *_: Any) -> str:  # noqa: N802  (as the wire has it)
        return GENESIS

    def _getLatestBlockhash(self, *_: Any) -> Any:  # noqa: N802
        return {
            "context": {"slot": self.slot},
            "value": {"blockhash": str(self.vm.latest_blockhash()), "lastValidBlockHeight": 1},
        }

    def _isBlockhashValid(self, params: Any, until: int, _how: Any) -> Any:  # noqa: N802
        transaction = self.hashes.get(params[0])
        return {"value": transaction is not None and transaction <= until < transaction + GOOD_FOR}

    def _getBalance(self, params: Any, *_: Any) -> Any:  # noqa: N802
        return {"value": self.vm.get_balance(Pubkey.from_string(params[0])) or 0}

    def _getAccountInfo(self, params: Any, *_: Any) -> Any:  # noqa: N802
        return {"context": {"slot": self.slot}, "value": self._account(params[0])}

    def _simulateTransaction(self, params: Any, *_: Any) -> Any:  # noqa: N802
        outcome = self.vm.simulate_transaction(_read(params[0]))
        return {"value": {"err": str(outcome.err()) if isinstance(outcome, FailedTransactionMetadata) else None}}

    def _sendTransaction(self, params: Any, *_: Any) -> str:  # noqa: N802
        return str(_read(params[0]).signatures[0]) if self.lost else self.send(_read(params[0]))

    def _getTransaction(self, params: Any, until: int, how: Any) -> Any:  # noqa: N802
        transaction = self.transactions.get(params[0])
        if transaction is None or transaction.slot > until:
            return None
        answer = _transaction_json(transaction, how["encoding"])
        if self.silent:
            del answer["meta"]["fee"]
        return answer

    def _getSignatureStatuses(self, params: Any, *_: Any) -> Any:  # noqa: N802
        return {
            "value": [
                {"err": transaction.err} if (transaction := self.transactions.get(signature)) else None
                for signature in params[0]
            ]
        }

    def _getSignaturesForAddress(self, params: Any, until: int, _how: Any) -> Any:  # noqa: N802
        key = Pubkey.from_string(params[0])
        matches = [
            (name, transaction)
            for name, transaction in self.transactions.items()
            if key in transaction.tx.message.account_keys and transaction.slot <= until
        ]
        return [{"signature": name, "memo": _memo(transaction.tx)} for name, transaction in reversed(matches)]

    def _remember(self) -> None:
        self.hashes[str(self.vm.latest_blockhash())] = self.slot

    def _put(self, address: str, program: str, data: bytes) -> None:
        self.vm.set_account(Pubkey.from_string(address), Account(SOL, data, Pubkey.from_string(program)))

    def _account(self, address: str) -> dict[str, Any] | None:
        account = self.vm.get_account(Pubkey.from_string(address))
        if account is None:
            return None
        return {
            "owner": str(account.owner),
            "data": [base64.b64encode(bytes(account.data)).decode(), "base64"],
            "lamports": account.lamports,
            "executable": False,
            "rentEpoch": 0,
        }

    def _token(self, address: Pubkey) -> tuple[str, int] | None:
        account = self.vm.get_account(address)
        if account is None or str(account.owner) not in TOKENS or len(account.data) != 165:
            return None
        data = bytes(account.data)
        return base58(data[:32]), int.from_bytes(data[64:72], "little")

    def _balances(self, tx: VersionedTransaction) -> list[tuple[int, tuple[str, int] | None]]:
        return [(self.vm.get_balance(key) or 0, self._token(key)) for key in tx.message.account_keys]


def _read(text: str) -> VersionedTransaction:
    return VersionedTransaction.from_bytes(base64.b64decode(text))


def _memo(tx: VersionedTransaction) -> str | None:
    keys = tx.message.account_keys
    held = [
        bytes(instruction.data).decode()
        for instruction in tx.message.instructions
        if str(keys[instruction.program_id_index]) == MEMO
    ]
    return "; ".join(f"[{len(text)}] {text}" for text in held) or None


def _transaction_json(transaction: LandedTransaction, encoding: str) -> dict[str, Any]:
    message = transaction.tx.message
    units = [
        [
            {"accountIndex": place, "mint": token[0], "uiTokenAmount": {"amount": str(token[1])}}
            for place, (_, token) in enumerate(side)
            if token
        ]
        for side in (transaction.before, transaction.after)
    ]
    meta = {
        "err": {"InstructionError": transaction.err} if transaction.err else None,
        "preTokenBalances": units[0],
        "postTokenBalances": units[1],
        "preBalances": [balance for balance, _ in transaction.before],
        "postBalances": [balance for balance, _ in transaction.after],
        "loadedAddresses": {},
        "fee": FEE * message.header.num_required_signatures,
    }
    steps = [
        {
            "programIdIndex": instruction.program_id_index,
            "accounts": list(bytes(instruction.accounts)),
            "data": base58(bytes(instruction.data)),
        }
        for instruction in message.instructions
    ]
    plain = {"message": {"accountKeys": [str(key) for key in message.account_keys], "instructions": steps}}
    whole = [base64.b64encode(bytes(transaction.tx)).decode(), "base64"] if encoding == "base64" else plain
    return {"slot": transaction.slot, "blockTime": transaction.time, "transaction": whole, "meta": meta}


@contextlib.contextmanager
def cluster(now: int) -> Iterator[Cluster]:
    """A running cluster; its address is ``url``."""
    here = Cluster(now)

    with answering(lambda _path, body: rpc(body, here.answer)) as url:
        here.url = url
        yield here


def signed(payer: Pubkey, steps: list[Instruction], keys: list[Keypair], blockhash: Hash) -> VersionedTransaction:
    """A transaction of version 0 with the signatures of those keys that are among its signers."""
    message = MessageV0.try_compile(payer, steps, [], blockhash)
    signers = message.account_keys[: message.header.num_required_signatures]
    by_key = {key.pubkey(): key for key in keys}
    return VersionedTransaction.populate(
        message,
        [
            by_key[signer].sign_message(b"\x80" + bytes(message)) if signer in by_key else Signature.default()
            for signer in signers
        ],
    )


def memo(text: str) -> Instruction:
    """A memo."""
    return Instruction(Pubkey.from_string(MEMO), text.encode(), [])


def plain_transfer(cluster: Cluster, buyer: Keypair, to: str, lamports: int, *texts: str) -> VersionedTransaction:
    """A transfer of SOL with memos."""
    move = transfer(TransferParams(from_pubkey=buyer.pubkey(), to_pubkey=Pubkey.from_string(to), lamports=lamports))
    return signed(buyer.pubkey(), [move, *map(memo, texts)], [buyer], cluster.vm.latest_blockhash())


def budget(units: int = 20_000, micros: int = 1) -> list[Instruction]:
    """The two instructions that a payment begins with."""
    program = Pubkey.from_string("ComputeBudget111111111111111111111111111111")
    return [
        Instruction(program, b"\2" + units.to_bytes(4, "little"), []),
        Instruction(program, b"\3" + micros.to_bytes(8, "little"), []),
    ]


def token_transfer(buyer: Keypair, to: str, units: int, mint: str = MINT, decimals: int = 6) -> Instruction:
    """TransferChecked from a buyer's account to another owner's."""
    source, target = (Pubkey.from_string(token_account(owner, mint, TOKENS[0])) for owner in (str(buyer.pubkey()), to))
    accounts = [
        AccountMeta(source, False, True),
        AccountMeta(Pubkey.from_string(mint), False, False),
        AccountMeta(target, False, True),
        AccountMeta(buyer.pubkey(), True, False),
    ]
    return Instruction(
        Pubkey.from_string(TOKENS[0]), bytes([CODE]) + units.to_bytes(8, "little") + bytes([decimals]), accounts
    )


__all__ = ["MINT", "SYSTEM", "Cluster", "cluster"]
