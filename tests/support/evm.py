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

from citepress_payments.chains.evm import calls
from citepress_payments.chains.evm.health import domain_separator
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.ports.rows import Json
from support.buyers import BUYER, NOW, SECOND, USDC
from support.fake_http_server import answering, rpc

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
    calls: list[str] = field(default_factory=list)
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
        log_entries = [
            {"address": address, "topics": topics, "data": body, "logIndex": hex(place), "transactionHash": tx}
            for place, (address, topics, body) in enumerate(logs or [])
        ]
        self.receipts[tx] = {
            "transactionHash": tx,
            "status": hex(status),
            "blockNumber": hex(block.number),
            "blockHash": block.hash,
            "gasUsed": "0x5208",
            "from": sender,
            "effectiveGasPrice": hex(self.base_fee + self.tip),
            "logs": log_entries,
        }
        return tx

    def settle(
        self,
        payload: Json,
        *,
        move: bool = True,
        to: str = "",
        value: str = "",
        extra: int = 0,
        sender: str = SECOND,
        tx: str = "",
    ) -> str:
        """Use an authorization, with its transfer or without; ``extra``: further transfers before it."""
        authorization = payload["authorization"]
        self.used[authorization["nonce"].lower()] = self.blocks[-1].number + 1
        transfer = (
            USDC[1],
            [calls.TRANSFERRED, word(authorization["from"]), word(to or authorization["to"])],
            word(int(value or authorization["value"])),
        )
        spent = (USDC[1], [calls.USED, word(authorization["from"]), authorization["nonce"].lower()], "0x")
        return self.include(
            USDC[1], "0xe3ee160e", sender=sender, tx=tx, logs=[transfer] * extra + [spent] + [transfer] * move
        )

    def cancel(self, payload: Json) -> str:
        """Cancel an authorization."""
        authorization = payload["authorization"]
        self.used[authorization["nonce"].lower()] = self.blocks[-1].number + 1
        return self.include(
            USDC[1],
            logs=[(USDC[1], [calls.CANCELED, word(authorization["from"]), authorization["nonce"].lower()], "0x")],
        )

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
        self.calls.append(method)
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
            while (address.lower(), mined) in {
                (transaction["from"].lower(), transaction["nonce"]) for transaction in self.waiting.values()
            }:
                mined += 1
        return hex(mined)

    def _eth_sendRawTransaction(self, raw: str) -> str:  # noqa: N802  (as the wire has it)
        fields, sender = TypedTransaction.from_bytes(HexBytes(raw)).as_dict(), Account.recover_transaction(raw)
        self.sent.append({"from": sender, **fields})
        if self.gas == 0:
            raise RuntimeError("insufficient funds for gas * price + value")
        if fields["nonce"] < self.counts.get(sender.lower(), 0):
            raise RuntimeError("nonce too low")
        tx = "0x" + keccak(hexstr=raw).hex()
        self.waiting = {
            name: transaction
            for name, transaction in self.waiting.items()
            if (transaction["from"], transaction["nonce"]) != (sender, fields["nonce"])
        }
        self.waiting[tx] = {
            "hash": tx,
            "from": sender,
            "to": to_checksum_address(fields["to"]),
            "value": hex(fields["value"]),
            "input": "0x" + bytes(fields["data"]).hex(),
            "nonce": fields["nonce"],
        }
        if self.mining:
            self.include_waiting()
        return tx

    def include_waiting(self) -> None:
        """Put what waits, and may, into blocks."""
        for tx, transaction in sorted(self.waiting.items(), key=lambda each: each[1]["nonce"]):
            if transaction["nonce"] == self.counts.get(transaction["from"].lower(), 0):
                del self.waiting[tx]
                self.counts[transaction["from"].lower()] = transaction["nonce"] + 1
                self._executed(tx, transaction)

    def _executed(self, tx: str, transaction: dict[str, Any]) -> None:
        data = transaction["input"]
        payload = {
            "authorization": {
                "from": "0x" + data[34:74],
                "to": "0x" + data[98:138],
                "value": str(int(data[138:202] or "0", 16)),
                "nonce": "0x" + data[330:394],
            }
        }
        if not data.startswith(TRANSFER):
            self.include(transaction["to"], data, int(transaction["value"], 16), sender=transaction["from"], tx=tx)
        elif payload["authorization"]["nonce"] in self.used:
            self.include(transaction["to"], data, sender=transaction["from"], status=0, tx=tx)
        else:
            self.settle(payload, sender=transaction["from"], tx=tx, move=not self.silent)

    def _eth_call(self, call: dict[str, str], tag: str) -> str:
        if call["data"].startswith(calls.IS_VALID_SIGNATURE) and call["to"].lower() in self.wallets:
            return self.wallets[call["to"].lower()]
        return self._call(call["data"], self._number(tag))

    def _eth_getLogs(self, query: dict[str, Any]) -> list[dict[str, Any]]:  # noqa: N802  (as the wire has it)
        return self._logs(query)

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

    def _logs(self, query: dict[str, Any]) -> list[dict[str, Any]]:
        first, last = int(query["fromBlock"], 16), int(query["toBlock"], 16)
        inside = [receipt for receipt in self.receipts.values() if first <= int(receipt["blockNumber"], 16) <= last]
        wanted = [topic if isinstance(topic, list) else [topic] for topic in query["topics"]]
        return [
            log
            for receipt in inside
            for log in receipt["logs"]
            if log["address"].lower() == query["address"].lower()
            and all(log["topics"][place] in names for place, names in enumerate(wanted))
        ]

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

    def answer(method: str, params: list[Any]) -> Any:
        """Also what another process may ask: to use an authorization."""
        return here.settle(params[0]) if method == "test_settle" else here.answer(method, params)

    with answering(lambda _path, body: rpc(body, answer)) as url:
        here.url = url
        yield here
