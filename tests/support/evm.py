"""A small EVM chain behind JSON-RPC, whose blocks, transfers and reorganisations a test makes; it executes no code."""

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from eth_account import Account
from eth_account.typed_transactions.typed_transaction import TypedTransaction
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak
from hexbytes import HexBytes

from citepress.payments.chains.evm import calls
from citepress.payments.chains.evm.health import domain_separator
from citepress.payments.configuration import ConfiguredRail
from citepress.payments.ports import Json
from support.answering import answering, rpc
from support.paying import BUYER, NOW, SECOND, USDC

ZERO = "0x" + "00" * 32


TRANSFER = "0xe3ee160e"
"""``transferWithAuthorization`` with v, r and s."""


class ReversionError(Exception):
    """A contract reverts."""

    code = 3


def word(value: int | str) -> str:
    """A topic or a word, with its 0x."""
    return "0x" + (f"{value:x}" if isinstance(value, int) else value.lower().removeprefix("0x")).rjust(64, "0")


def named(*parts: object) -> str:
    """A hash."""
    return "0x" + hashlib.sha256(repr(parts).encode()).hexdigest()


@dataclass
class Block:
    number: int
    hash: str
    time: int
    txs: list[str] = field(default_factory=list)


@dataclass
class Chain:
    """Blocks of one second; two of them make the one before final."""

    id: int = 84532
    decimals: int = 6
    domain: str = ZERO
    blocks: list[Block] = field(default_factory=lambda: [Block(0, named("genesis"), NOW - 400)])
    txs: dict[str, dict[str, Any]] = field(default_factory=dict)
    receipts: dict[str, dict[str, Any]] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)
    """Block by nonce."""
    asked: list[str] = field(default_factory=list)
    down: bool = False
    url: str = ""
    forks: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    """Transactions by lower-case sender."""
    waiting: dict[str, dict[str, Any]] = field(default_factory=dict)
    sent: list[dict[str, Any]] = field(default_factory=list)
    """What was handed in, whatever became of it."""
    mining: bool = True
    base_fee: int = 7
    wallets: dict[str, str] = field(default_factory=dict)
    """What a wallet contract answers to ``isValidSignature``, by its lower-case address."""
    bare: set[str] = field(default_factory=set)
    """Lower-case addresses without a contract; all others have one."""
    gas: int = 10**18
    tip: int = 10**9
    silent: bool = False
    """Whether the token uses authorizations without a transfer."""
    drained: bool = False
    """Whether simulated transfers revert."""

    def __post_init__(self) -> None:
        self.mine(400)

    def mine(self, count: int = 1, *, seconds: int = 1) -> None:
        """Empty blocks."""
        for _ in range(count):
            last = self.blocks[-1]
            self.blocks.append(Block(last.number + 1, named(last.hash, self.forks), last.time + seconds))

    def include(
        self,
        to: str,
        data: str = "0x",
        value: int = 0,
        *,
        sender: str = BUYER,
        status: int = 1,
        logs: list[tuple[str, list[str], str]] | None = None,
        tx: str = "",
    ) -> str:
        """A transaction in a block of its own."""
        self.mine()
        block = self.blocks[-1]
        tx = tx or named(to, data, value, sender, block.number, len(self.txs))
        block.txs.append(tx)
        self.txs[tx] = {"hash": tx, "from": sender, "to": to, "value": hex(value), "input": data}
        told = [
            {"address": address, "topics": topics, "data": body, "logIndex": hex(place), "transactionHash": tx}
            for place, (address, topics, body) in enumerate(logs or [])
        ]
        self.receipts[tx] = {
            "transactionHash": tx, "status": hex(status), "blockNumber": hex(block.number), "blockHash": block.hash, "gasUsed": "0x5208",
            "from": sender, "effectiveGasPrice": hex(self.base_fee + self.tip),
            "logs": told,
        }  # fmt: skip
        return tx

    def settle(
        self, payload: Json, *, move: bool = True, to: str = "", value: str = "", extra: int = 0, sender: str = SECOND, tx: str = ""
    ) -> str:
        """Use an authorization, with its transfer or without; ``extra``: further transfers before it."""
        told = payload["authorization"]
        self.used[told["nonce"].lower()] = self.blocks[-1].number + 1
        transfer = (USDC[1], [calls.TRANSFERRED, word(told["from"]), word(to or told["to"])], word(int(value or told["value"])))
        spent = (USDC[1], [calls.USED, word(told["from"]), told["nonce"].lower()], "0x")
        return self.include(USDC[1], "0xe3ee160e", sender=sender, tx=tx, logs=[transfer] * extra + [spent] + [transfer] * move)

    def cancel(self, payload: Json) -> str:
        """Cancel an authorization."""
        told = payload["authorization"]
        self.used[told["nonce"].lower()] = self.blocks[-1].number + 1
        return self.include(USDC[1], logs=[(USDC[1], [calls.CANCELED, word(told["from"]), told["nonce"].lower()], "0x")])

    def reorganise(self, count: int) -> None:
        """Replace the last blocks by empty ones: what they held is gone."""
        self.forks += 1
        for block in self.blocks[-count:]:
            for tx in block.txs:
                self.receipts.pop(tx)
                sender = self.txs.pop(tx)["from"].lower()
                if self.counts.get(sender):
                    self.counts[sender] -= 1
        del self.blocks[-count:]
        self.used = {nonce: block for nonce, block in self.used.items() if block < len(self.blocks)}
        self.mine(count + 1)

    def answer(self, method: str, params: list[Any]) -> Any:
        """The result of a method."""
        self.asked.append(method)
        if self.down:
            raise RuntimeError("this node is not well")
        return getattr(self, "_" + method)(*params)

    def _eth_chainId(self) -> str:  # noqa: N802  (as the wire has it)
        return hex(self.id)

    def _eth_getTransactionByHash(self, tx: str) -> Any:  # noqa: N802  (as the wire has it)
        return self.txs.get(tx) or self.waiting.get(tx)

    def _eth_getTransactionReceipt(self, tx: str) -> Any:  # noqa: N802  (as the wire has it)
        return self.receipts.get(tx)

    def _eth_getBlockByNumber(self, tag: str, _whole: bool) -> Any:  # noqa: N802  (as the wire has it)
        place = self._number(tag)
        return self._block(self.blocks[place]) if place < len(self.blocks) else None

    def _eth_getCode(self, address: str, _tag: str) -> str:  # noqa: N802  (as the wire has it)
        return "0x" if address.lower() in self.bare else "0xfe"

    def _eth_getBalance(self, _address: str, _tag: str) -> str:  # noqa: N802  (as the wire has it)
        return hex(self.gas)

    def _eth_maxPriorityFeePerGas(self) -> str:  # noqa: N802  (as the wire has it)
        return hex(self.tip)

    def _eth_getTransactionCount(self, address: str, tag: str) -> str:  # noqa: N802  (as the wire has it)
        mined = self.counts.get(address.lower(), 0)
        if tag == "pending":
            while (address.lower(), mined) in {(one["from"].lower(), one["nonce"]) for one in self.waiting.values()}:
                mined += 1
        return hex(mined)

    def _eth_sendRawTransaction(self, raw: str) -> str:  # noqa: N802  (as the wire has it)
        told, sender = TypedTransaction.from_bytes(HexBytes(raw)).as_dict(), Account.recover_transaction(raw)
        self.sent.append({"from": sender, **told})
        if self.gas == 0:
            raise RuntimeError("insufficient funds for gas * price + value")
        if told["nonce"] < self.counts.get(sender.lower(), 0):
            raise RuntimeError("nonce too low")
        tx = "0x" + keccak(hexstr=raw).hex()
        self.waiting = {name: one for name, one in self.waiting.items() if (one["from"], one["nonce"]) != (sender, told["nonce"])}
        self.waiting[tx] = {
            "hash": tx, "from": sender, "to": to_checksum_address(told["to"]), "value": hex(told["value"]), "input": "0x" + bytes(told["data"]).hex(),
            "nonce": told["nonce"],
        }  # fmt: skip
        if self.mining:
            self.include_waiting()
        return tx

    def include_waiting(self) -> None:
        """Put what waits, and may, into blocks."""
        for tx, one in sorted(self.waiting.items(), key=lambda each: each[1]["nonce"]):
            if one["nonce"] == self.counts.get(one["from"].lower(), 0):
                del self.waiting[tx]
                self.counts[one["from"].lower()] = one["nonce"] + 1
                self._executed(tx, one)

    def _executed(self, tx: str, one: dict[str, Any]) -> None:
        data = one["input"]
        payload = {"authorization": {
            "from": "0x" + data[34:74], "to": "0x" + data[98:138], "value": str(int(data[138:202] or "0", 16)), "nonce": "0x" + data[330:394],
        }}  # fmt: skip
        if not data.startswith(TRANSFER):
            self.include(one["to"], data, int(one["value"], 16), sender=one["from"], tx=tx)
        elif payload["authorization"]["nonce"] in self.used:
            self.include(one["to"], data, sender=one["from"], status=0, tx=tx)
        else:
            self.settle(payload, sender=one["from"], tx=tx, move=not self.silent)

    def _eth_call(self, told: dict[str, str], tag: str) -> str:
        if told["data"].startswith(calls.IS_VALID_SIGNATURE) and told["to"].lower() in self.wallets:
            return self.wallets[told["to"].lower()]
        return self._call(told["data"], self._number(tag))

    def _eth_getLogs(self, asked: dict[str, Any]) -> list[dict[str, Any]]:  # noqa: N802  (as the wire has it)
        return self._logs(asked)

    def _number(self, tag: str) -> int:
        back = {"latest": 0, "safe": 1, "finalized": 2}
        return max(len(self.blocks) - 1 - back[tag], 0) if tag in back else int(tag, 16)

    def _call(self, data: str, at: int) -> str:
        if data == calls.DECIMALS:
            return word(self.decimals)
        if data == calls.DOMAIN:
            return self.domain
        if data.startswith(TRANSFER):
            if self.drained or "0x" + data[330:394] in self.used:
                raise ReversionError("execution reverted: ERC20: transfer amount exceeds balance")
            return "0x"
        if data.startswith(calls.AUTHORIZATION_STATE):
            return word(int(self.used.get("0x" + data[-64:], 10**9) <= at))
        raise ReversionError("execution reverted")

    def _logs(self, asked: dict[str, Any]) -> list[dict[str, Any]]:
        first, last = int(asked["fromBlock"], 16), int(asked["toBlock"], 16)
        inside = [one for one in self.receipts.values() if first <= int(one["blockNumber"], 16) <= last]
        wanted = [one if isinstance(one, list) else [one] for one in asked["topics"]]
        return [
            log for one in inside for log in one["logs"]
            if log["address"].lower() == asked["address"].lower() and all(log["topics"][place] in names for place, names in enumerate(wanted))
        ]  # fmt: skip

    def _block(self, block: Block) -> dict[str, Any]:
        return {
            "number": hex(block.number),
            "hash": block.hash,
            "timestamp": hex(block.time),
            "baseFeePerGas": hex(self.base_fee),
            "transactions": block.txs,
        }


@contextlib.contextmanager
def chain(opened: ConfiguredRail | None = None) -> Iterator[Chain]:
    """A running chain, with the signing domain of a rail."""
    here = Chain(
        id=int(opened.place.network.removeprefix("eip155:")) if opened else 84532,
        domain="0x" + domain_separator(opened).hex() if opened else ZERO,
    )

    def told(method: str, params: list[Any]) -> Any:
        """Also what another process may ask: to use an authorization."""
        return here.settle(params[0]) if method == "test_settle" else here.answer(method, params)

    with answering(lambda _path, body: rpc(body, told)) as url:
        here.url = url
        yield here
