"""A server of the demo's paid products, its simulated chain, and a server that is killed at a set point."""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citepress_payments.settings import SIMULATED_SELLER
from citepress_payments.simulated_chain.store import SqlSimulatedChain
from support.buyers import USDC, sign_permit, sign_transfer
from support.demo import DEMO
from support.otters import OTTERS
from support.payment_service import decoded, header
from support.preloaded import start
from support.running_server import HOST, Answer, Server, free_port
from support.running_server import _await as awaited
from support.stores import opened
from support.waiting import PATIENCE_S

BASE = "/agent-payments"
BUNDLE, COVERAGE = f"{BASE}/research-bundle-v2", f"{BASE}/prior-coverage"
WETH, BNB = f"{BUNDLE}/volatile/base-weth", f"{BUNDLE}/native/bsc-bnb"
ASK = b'{"max_sources":5,"query":"How do coding agents confine the commands they run?","known_stable_ids":[]}'
"""Not the bytes that the printed buyers send: who has bought those once is not charged again."""
TOPIC = b'{"topic":"sandbox defaults of coding agents","freshness_days":30}'
PRICE = 50_000


OTTER_FILES = {f"content/{id_}.md": text for id_, text in OTTERS.items()}
RECIPIENT = "0x2222222222222222222222222222222222222222"
"""An address that no published key owns."""
SELLING_SITE = """title = "Otters"
[payments]
networks = "test"
pay_to_evm = "{recipient}"
pay_to_svm = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
"""


@dataclass
class PaymentServer:
    """A server that sells, and the chain behind it."""

    server: Server
    chain: SqlSimulatedChain

    def post(self, path: str, body: bytes = ASK, signature: bytes = b"", **fields: str) -> Answer:
        """Send a body, from a client of its own."""
        signed = {"payment_signature": signature.decode()} if signature else {}
        headers = {"content_type": "application/json", **self.server.client(), **signed, **fields}
        return self.server.ask(path, "POST", body, **headers)

    def terms(self, path: str, body: bytes = ASK) -> Any:
        """The decoded PAYMENT-REQUIRED of a preflight."""
        answer = self.post(path, body)
        assert answer.status == 402, answer.text
        return decoded(answer.fields["payment-required"].encode())

    def moved(self) -> int:
        """What the seller holds of USDC."""
        return self.chain.balance(*USDC, SIMULATED_SELLER)


def selling_site(rails: str, recipient: str = RECIPIENT) -> str:
    """A ``site.toml`` that pays a recipient over these rails."""
    return SELLING_SITE.format(recipient=recipient) + rails


def body_of(number: int) -> bytes:
    """A body that can be sold and is unlike those of other numbers."""
    return b'{"topic":"sandbox defaults of coding agents","freshness_days":%d}' % (30 + number)


def wall() -> int:
    """A buyer's own clock."""
    return int(time.time())  # noqa: TID251


def signed_for(terms: Any, **changed: Any) -> bytes:
    """PAYMENT-SIGNATURE that pays the first entry of these terms."""
    entry = terms["accepts"][0]
    sign = sign_permit if entry["extra"]["assetTransferMethod"] == "permit2" else sign_transfer
    return header(entry, sign(entry, now=wall(), **changed), resource=terms["resource"])


@contextlib.contextmanager
def payment_server_over(server: Server, address: str) -> Iterator[PaymentServer]:
    """A counter over a database that is there already."""
    with contextlib.closing(opened(address)) as database:
        yield PaymentServer(server, SqlSimulatedChain(database))


@contextlib.contextmanager
def killed_server(state: Path, arm: Path, later: int, log: Path, **environment: str) -> Iterator[Server]:
    """``citepress serve`` over the demo, its clock ``later`` seconds ahead.

    It kills itself at the point that the file ``arm`` names.
    """
    port = free_port()
    place = ["--host", HOST, "--port", str(port), "--state", str(state)]
    command = [str(arm), str(later), "serve", str(DEMO), "--workers", "1", *place]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CITEPRESS_")}
    variables = {f"CITEPRESS_{name.upper()}": value for name, value in {"trusted_proxies": HOST, **environment}.items()}
    variables |= {
        "PYTHONUNBUFFERED": "1",
        "CITEPRESS_BASE_URL": "http://archive.test",
    }  # the edition is the same after each restart
    with (
        log.open("ab") as file,
        start(
            "support.killed_process:main",
            command,
            {**clean, **variables},
            session=True,
            streams=(0, file.fileno(), file.fileno()),
        ) as process,
    ):
        try:
            awaited(port, process)
            yield Server(port, process)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)
