"""The demo's paid products over HTTP: a server that sells, the chain behind it, and a server that can be told where to die."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citepress.contract.paid import SIMULATED_SELLER
from citepress.stores.sql.payments.simulated import SqlSimulatedChain
from support.demo import DEMO
from support.paying import USDC, sign_permit, sign_transfer
from support.server import HOST, Answer, Server, free_port
from support.server import _await as awaited
from support.shopping import decoded, header
from support.stores import opened

BASE = "/agent-payments"
BUNDLE, COVERAGE = f"{BASE}/research-bundle-v2", f"{BASE}/prior-coverage"
WETH, BNB = f"{BUNDLE}/volatile/base-weth", f"{BUNDLE}/native/bsc-bnb"
ASK = b'{"max_sources":5,"query":"How do coding agents confine the commands they run?","known_stable_ids":[]}'
"""Not the bytes that the printed buyers send: who has bought those once is not charged again."""
TOPIC = b'{"topic":"sandbox defaults of coding agents","freshness_days":30}'
PRICE = 50_000
DYING = Path(__file__).with_name("dying.py")


@dataclass
class Counter:
    """A server that sells, and the chain behind it."""

    server: Server
    chain: SqlSimulatedChain

    def post(self, path: str, body: bytes = ASK, signature: bytes = b"", **fields: str) -> Answer:
        """Send a body, from a client of its own."""
        signed = {"payment_signature": signature.decode()} if signature else {}
        told = {"content_type": "application/json", **self.server.client(), **signed, **fields}
        return self.server.ask(path, "POST", body, **told)

    def terms(self, path: str, body: bytes = ASK) -> Any:
        """The decoded PAYMENT-REQUIRED of a preflight."""
        answer = self.post(path, body)
        assert answer.status == 402, answer.text
        return decoded(answer.fields["payment-required"].encode())

    def moved(self) -> int:
        """What the seller holds of USDC."""
        return self.chain.balance(*USDC, SIMULATED_SELLER)


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
def counter_over(server: Server, address: str) -> Iterator[Counter]:
    """A counter over a database that is there already."""
    with contextlib.closing(opened(address)) as database:
        yield Counter(server, SqlSimulatedChain(database))


@contextlib.contextmanager
def dying(state: Path, arm: Path, later: int, log: Path, **environment: str) -> Iterator[Server]:
    """``citepress serve`` over the demo, its clock ``later`` seconds ahead; it kills itself at the point that the file ``arm`` names."""
    port = free_port()
    command = [
        sys.executable,
        str(DYING),
        str(arm),
        str(later),
        "serve",
        str(DEMO),
        "--host",
        HOST,
        "--port",
        str(port),
        "--state",
        str(state),
    ]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CITEPRESS_")}
    told = {f"CITEPRESS_{name.upper()}": value for name, value in {"trusted_proxies": HOST, **environment}.items()}
    told |= {"PYTHONUNBUFFERED": "1", "CITEPRESS_BASE_URL": "http://archive.test"}  # the edition is the same after each restart
    with (
        log.open("ab") as file,
        subprocess.Popen(command, env={**clean, **told}, stdout=file, stderr=file, start_new_session=True) as process,
    ):
        try:
            awaited(port, process)
            yield Server(port, process)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(20)
