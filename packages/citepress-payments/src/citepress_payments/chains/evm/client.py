"""Typed answers of an EVM chain; every number and hash is checked when it is read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from citepress_payments.chains.jsonrpc import RefusedError, Rpc, answered

WORD_DIGITS = 64
MAX_LOG_BLOCKS = 1000
"""Blocks that one question about logs covers; many nodes allow no more."""
_ADDRESS, _HASH = 40, 64


@dataclass(frozen=True, slots=True)
class EvmBlock:
    """A block; hashes are lower case."""

    number: int
    hash: str
    time: int
    base_fee: int
    transactions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EvmTransaction:
    """A transaction; addresses and data are lower case."""

    hash: str
    sender: str
    to: str
    """Empty where it creates a contract."""
    value: int
    data: str


@dataclass(frozen=True, slots=True)
class EvmLog:
    """A log that a contract emitted."""

    address: str
    topics: tuple[str, ...]
    data: str
    index: int
    tx: str


@dataclass(frozen=True, slots=True)
class EvmReceipt:
    """What became of a transaction."""

    tx: str
    status: int
    block_number: int
    block_hash: str
    gas_used: int
    logs: tuple[EvmLog, ...]
    sender: str = ""
    """Lower case; empty where the node does not say."""
    fee: int | None = None
    """Wei that it cost: gas at its price, and what a layer-2 chain charges for the data. ``None`` where the node does
    not state the price."""


class EvmChain:
    """Questions to one chain. Every method raises ``UnreachableError``; addresses and hashes may have any case."""

    def __init__(self, rpc: Rpc) -> None:
        self.rpc = rpc

    def chain_id(self) -> int:
        """Its number."""
        return answered(self.rpc.agreed(_number, "eth_chainId"))

    def transaction(self, tx: str) -> EvmTransaction | None:
        """A transaction that the nodes know, mined or not."""
        transaction = self.rpc.agreed(_transaction, "eth_getTransactionByHash", tx)
        # A node that answers about another transaction must not decide this one.
        return transaction if transaction and transaction.hash == tx else None

    def receipt(self, tx: str) -> EvmReceipt | None:
        """What became of a transaction that is in a block."""
        receipt = self.rpc.agreed(_receipt, "eth_getTransactionReceipt", tx)
        return receipt if receipt and receipt.tx == tx else None

    def head(self, tag: str) -> EvmBlock:
        """The newest block of a tag: ``latest``, ``safe`` or ``finalized``."""
        # Nodes are seldom at the same block, so that equal answers might never come: the height counts that enough
        # reach.
        return self.rpc.highest(_block, lambda block: block.number, "eth_getBlockByNumber", tag, False)

    def block(self, number: int) -> EvmBlock | None:
        """The canonical block of a height."""
        return self.rpc.agreed(_block, "eth_getBlockByNumber", hex(number), False)

    def call(self, to: str, data: str, at: str = "latest", sender: str = "") -> str:
        """What a contract would answer, as ``0x`` and digits. Raises ``RefusedError`` where it reverts."""
        call = {"to": to, "data": data} | ({"from": sender} if sender else {})
        return answered(self.rpc.agreed(_bytes, "eth_call", call, at))

    def number(self, to: str, data: str, at: str = "latest") -> int:
        """The first word of what a contract answers; 0 where it answers nothing or reverts."""
        try:
            return int(self.call(to, data, at)[2 : 2 + WORD_DIGITS] or "0", 16)
        except RefusedError:
            return 0

    def code(self, address: str) -> bool:
        """Whether a contract is at an address."""
        return answered(self.rpc.agreed(_bytes, "eth_getCode", address, "latest")) != "0x"

    def balance(self, address: str) -> int:
        """Wei of an account."""
        return answered(self.rpc.agreed(_number, "eth_getBalance", address, "latest"))

    def count(self, address: str, tag: str) -> int:
        """Transactions that an account sent; with the tag ``pending``, those included that wait."""
        return self.rpc.highest(_number, int, "eth_getTransactionCount", address, tag)

    def tip(self) -> int:
        """Wei that block makers ask for above the base fee; 0 where the nodes do not say."""
        try:
            return _number(self.rpc.first("eth_maxPriorityFeePerGas"))
        except (RefusedError, KeyError, TypeError, ValueError):
            return 0

    def logs(self, address: str, topics: Sequence[object], first: int, last: int) -> Iterator[EvmLog]:
        """Logs of a contract in a range of blocks, oldest first, asked for piece by piece."""
        for start in range(first, last + 1, MAX_LOG_BLOCKS):
            query = {
                "address": address,
                "topics": list(topics),
                "fromBlock": hex(start),
                "toBlock": hex(min(start + MAX_LOG_BLOCKS - 1, last)),
            }
            yield from answered(self.rpc.agreed(_logs, "eth_getLogs", query))


def word(value: int | str) -> str:
    """A number, an address or 32 bytes as one word of calldata or a topic: 64 lower-case digits."""
    return (f"{value:x}" if isinstance(value, int) else value.lower().removeprefix("0x")).rjust(WORD_DIGITS, "0")


def _number(value: Any) -> int:  # noqa: ANN401  (JSON is any shape)
    if not isinstance(value, str) or not value.startswith("0x"):
        raise TypeError
    return int(value, 16)


def _bytes(value: Any, digits: int = 0) -> str:  # noqa: ANN401
    if not isinstance(value, str) or not value.startswith("0x") or (digits and len(value) != 2 + digits):
        raise TypeError
    bytes.fromhex(value[2:])
    return value.lower()


def _block(value: Any) -> EvmBlock:  # noqa: ANN401
    transactions = tuple(_bytes(tx, _HASH) for tx in value["transactions"])
    fee = value.get("baseFeePerGas")
    return EvmBlock(
        _number(value["number"]),
        _bytes(value["hash"], _HASH),
        _number(value["timestamp"]),
        _number(fee) if fee else 0,
        transactions,
    )


def _transaction(value: Any) -> EvmTransaction:  # noqa: ANN401
    to = value["to"]
    return EvmTransaction(
        _bytes(value["hash"], _HASH),
        _bytes(value["from"], _ADDRESS),
        _bytes(to, _ADDRESS) if to else "",
        _number(value["value"]),
        _bytes(value["input"]),
    )


def _receipt(value: Any) -> EvmReceipt:  # noqa: ANN401
    return EvmReceipt(
        _bytes(value["transactionHash"], _HASH),
        _number(value["status"]),
        _number(value["blockNumber"]),
        _bytes(value["blockHash"], _HASH),
        _number(value["gasUsed"]),
        _logs(value["logs"]),
        str(value.get("from") or "").lower(),
        _fee(value),
    )


def _fee(receipt: Any) -> int | None:  # noqa: ANN401
    price = receipt.get("effectiveGasPrice")
    if price is None:
        return None
    # Chains above another chain charge for the data apart from the gas.
    return _number(receipt["gasUsed"]) * _number(price) + _number(receipt.get("l1Fee") or "0x0")


def _logs(value: Any) -> tuple[EvmLog, ...]:  # noqa: ANN401
    return tuple(
        EvmLog(
            _bytes(log["address"], _ADDRESS),
            tuple(_bytes(topic, _HASH) for topic in log["topics"]),
            _bytes(log["data"]),
            _number(log["logIndex"]),
            _bytes(log["transactionHash"], _HASH),
        )
        for log in value
    )
