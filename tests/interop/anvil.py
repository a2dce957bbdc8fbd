"""A chain of our own: anvil with the contracts that exact payments need, a buyer with money, and a market over it."""

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from eth_account import Account  # noqa: E402

from support.buyers import BUYER, BUYER_KEY, PERMIT2, PROXY, SELLER, USDC, WETH  # noqa: E402
from support.payment_service import PaymentHarness, payment_harness  # noqa: E402

CONTRACTS = json.loads((HERE / "contracts" / "contracts.json").read_text("utf-8"))
CHAIN = 84532
ETHER = 10**18
ANYBODY = "0xf39Fd6e51aad88F6F4ce6aB8827279cfFFb92266"
"""The first development account: anvil signs for it."""
PRICES = [{"source": "static", "price": "3000", "valid_until": "2099-01-01T00:00:00Z"}]
HELD = 10**12


class Now:
    """The real clock, some seconds ahead where a case says so."""

    def __init__(self) -> None:
        self.ahead = 0

    @property
    def now(self) -> int:
        return int(time.time()) + self.ahead  # noqa: TID251  (the chain runs by it too)

    def __call__(self) -> int:
        return self.now


@dataclass
class Anvil:
    """One running chain."""

    url: str
    signer: str = ""
    key_file: str = ""

    def ask(self, method: str, *params: Any) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        with urlopen(Request(self.url, body, {"Content-Type": "application/json"}), timeout=30) as answer:
            reply = json.load(answer)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        return reply["result"]

    def call(self, to: str, contract: str, method: str, *words: int | str) -> int:
        return int(self.ask("eth_call", {"to": to, "data": data(contract, method, *words)}, "latest"), 16)

    def act(self, sender: str, to: str, words: str) -> str:
        """A transaction of an account that nobody here has the key of."""
        self.ask("anvil_setBalance", sender, hex(ETHER))
        self.ask("anvil_impersonateAccount", sender)
        return str(self.ask("eth_sendTransaction", {"from": sender, "to": to, "data": words, "gas": hex(500_000)}))

    def mine(self, blocks: int = 1) -> None:
        self.ask("anvil_mine", hex(blocks))

    def held(self, who: str, token: str = USDC[1]) -> int:
        return self.call(token, "Token", "balanceOf(address)", who)

    def count(self, who: str) -> int:
        return int(self.ask("eth_getTransactionCount", who, "latest"), 16)

    def furnish(self) -> None:
        """Put the contracts in their places and give the buyer money."""
        for address, contract in ((USDC[1], "Token"), (WETH[1], "Token"), (PERMIT2, "Permit2"), (PROXY, "Proxy")):
            self.ask("anvil_setCode", address, CONTRACTS[contract]["code"])
        self.set_up(USDC[1], "USDC", 6)
        self.set_up(WETH[1], "Wrapped Ether", 18)
        self.act(ANYBODY, USDC[1], data("Token", "mint(address,uint256)", BUYER, HELD))
        self.act(ANYBODY, WETH[1], data("Token", "mint(address,uint256)", BUYER, ETHER))

    def set_up(self, token: str, name: str, decimals: int, mood: int = 0) -> None:
        """Name a token, and say how it behaves."""
        text = name.encode().ljust(32, b"\0").hex()
        self.act(
            ANYBODY,
            token,
            "0x"
            + CONTRACTS["Token"]["methods"]["setUp(string,uint8,uint8)"]
            + words(0x60, decimals, mood, len(name))
            + text,
        )

    def rails(self, **more: Any) -> list[dict[str, Any]]:
        """The three lanes over this chain."""
        settings = {"rpc_urls": [self.url], **more}
        signed = {**settings, "driver": "embedded", "signer_key_file": self.key_file}
        return [
            {"slug": "base-usdc", **signed},
            {"slug": "base-weth", "prices": PRICES, **signed},
            {"slug": "base-eth", "driver": "rpc", "prices": PRICES, **settings},
        ]

    def market(self, folder: Path, now: Now, probe: Callable[[str], None] | None = None, **more: Any) -> PaymentHarness:
        """One process that sells over this chain."""
        return payment_harness(folder, rails=self.rails(**more), watch=now, probe=probe)  # type: ignore[arg-type]


def words(*values: int | str) -> str:
    """Words of calldata."""
    return "".join(
        (f"{value:x}" if isinstance(value, int) else value.lower().removeprefix("0x")).rjust(64, "0")
        for value in values
    )


def data(contract: str, method: str, *values: int | str) -> str:
    """Calldata of plain arguments."""
    return "0x" + CONTRACTS[contract]["methods"][method] + words(*values)


@contextlib.contextmanager
def running(binary: str | Path, folder: Path) -> Iterator[Anvil]:
    """A furnished chain, where every block is final two blocks later, and a signer with gas."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(binary), "--port", str(port), "--chain-id", str(CHAIN), "--slots-in-an-epoch", "1", "--silent"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        account, key_file = Account.create(), folder / "signer.key"
        key_file.write_text(account.key.hex(), "utf-8")
        key_file.chmod(0o600)
        chain = Anvil(f"http://127.0.0.1:{port}", account.address, str(key_file))
        for _ in range(200):
            with contextlib.suppress(OSError):
                chain.ask("eth_chainId")
                break
            time.sleep(0.05)
        chain.furnish()
        chain.ask("anvil_setBalance", account.address, hex(ETHER))
        yield chain
    finally:
        process.terminate()
        process.wait(10)


def pay_native(chain: Anvil, entry: dict[str, Any], **changed: str) -> dict[str, Any]:
    """The plain transfer that a native entry asks for, from the published buyer."""
    transaction = {
        "chainId": CHAIN,
        "nonce": chain.count(BUYER),
        "to": entry["payTo"],
        "value": int(entry["amount"]),
        "data": entry["extra"]["data"],
        "gas": 30_000,
        "maxFeePerGas": 10**10,
        "maxPriorityFeePerGas": 10**9,
        "type": 2,
        **changed,
    }
    chain.ask("anvil_setBalance", BUYER, hex(ETHER))
    raw = Account.sign_transaction(transaction, BUYER_KEY).raw_transaction
    return {"transaction": chain.ask("eth_sendRawTransaction", "0x" + raw.hex())}


def salt() -> str:
    """Something to tell bodies apart."""
    return secrets.token_hex(4)


def environment() -> dict[str, str]:
    """For processes of the tests' own code."""
    return {**os.environ, "PYTHONPATH": f"{HERE}{os.pathsep}{HERE.parent}"}


__all__ = [
    "ANYBODY",
    "BUYER",
    "SELLER",
    "Anvil",
    "Now",
    "PaymentHarness",
    "data",
    "pay_native",
    "running",
    "salt",
    "words",
]
