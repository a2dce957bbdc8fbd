"""What a sale takes: ``python bench/payments.py [--sales N]``.

Preflight, paid retry and replay of ``prior-coverage`` on the demo archive over the simulated chain, in milliseconds
on the clock, one after the other over loopback, each beside the reference SDK: its FastAPI middleware around a
handler that returns the same bytes, with a facilitator in its process that does equal work (recovers the EIP-712
signature, and moves the money in a SQLite file that is flushed to disk). The SDK keeps no result and no quote, so
its preflight computes nothing and its replay is a refusal. Rounds are interleaved. The SDK, FastAPI and uvicorn are
looked for in ``.bench/venv`` (``pip install "x402[fastapi,evm]==2.25.*"``); our server runs in ``.venv``. Bars: p95
of a paid retry under 250 ms, of preflight and replay under 25.
"""

import argparse
import base64
import json
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import figures
import load
from serve import PEERS, running

from citepress.base import clock
from citepress_payments.drivers import test_buyer

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "examples" / "agent-archive"
PATH = "/agent-payments/prior-coverage"
CLIENTS = 250
PAID, REQUIRED = 200, 402
HOLDS = {"preflight": 25.0, "paid retry": 250.0, "replay": 25.0}
PEER = """
import sqlite3
from pathlib import Path
from eth_account import Account
from eth_account.messages import encode_typed_data
from fastapi import FastAPI, Response
from x402 import x402ResourceServer
from x402.http.middleware.fastapi import PaymentMiddlewareASGI
from x402.http.types import PaymentOption, RouteConfig
from x402.mechanisms.evm.exact import ExactEvmServerScheme
from x402.schemas import SettleResponse, SupportedKind, SupportedResponse, VerifyResponse
HERE = Path(__file__)
STORED = HERE.with_name("result.json").read_bytes()
NETWORK = "eip155:84532"
books = sqlite3.connect(HERE.with_name("chain.sqlite"), isolation_level=None, check_same_thread=False)
books.executescript(
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE used (nonce TEXT PRIMARY KEY);"
    "CREATE TABLE held (who TEXT PRIMARY KEY, units INT);"
)
TYPES = {
    "from": "address",
    "to": "address",
    "value": "uint256",
    "validAfter": "uint256",
    "validBefore": "uint256",
    "nonce": "bytes32",
}
FIELDS = [{"name": name, "type": type_} for name, type_ in TYPES.items()]

class Facilitator:
    def get_supported(self):
        return SupportedResponse(kinds=[SupportedKind(x402_version=2, scheme="exact", network=NETWORK)])
    async def verify(self, payload, requirements):
        signed = payload.payload
        a = signed["authorization"]
        numbers = {name: int(a[name]) for name in ("value", "validAfter", "validBefore")}
        message = {**a, **numbers, "nonce": bytes.fromhex(a["nonce"][2:])}
        named = {name: requirements.extra[name] for name in ("name", "version")}
        domain = {**named, "chainId": 84532, "verifyingContract": requirements.asset}
        signable = encode_typed_data(domain, {"TransferWithAuthorization": FIELDS}, message)
        signer = Account.recover_message(signable, signature=signed["signature"])
        used = books.execute("SELECT 1 FROM used WHERE nonce = ?", (a["nonce"],)).fetchone()
        good = signer == a["from"] and not used
        reason = None if good else "invalid_exact_evm_nonce_already_used"
        return VerifyResponse(is_valid=good, payer=signer, invalid_reason=reason)
    async def settle(self, payload, requirements):
        a = payload.payload["authorization"]
        books.execute("BEGIN IMMEDIATE")
        books.execute("INSERT INTO used VALUES (?)", (a["nonce"],))
        for who, units in ((a["from"], -int(a["value"])), (a["to"], int(a["value"]))):
            books.execute(
                "INSERT INTO held VALUES (?, ?) ON CONFLICT (who) DO UPDATE SET units = units + excluded.units",
                (who, units),
            )
        books.execute("COMMIT")
        return SettleResponse(success=True, transaction=a["nonce"], network=NETWORK, payer=a["from"], amount=a["value"])

server = x402ResourceServer(Facilitator())
server.register(NETWORK, ExactEvmServerScheme())
app = FastAPI()
SELLER = "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc"
option = PaymentOption(scheme="exact", pay_to=SELLER, price="$0.05", network=NETWORK)
app.add_middleware(PaymentMiddlewareASGI, routes={"POST <PATH>": RouteConfig(accepts=option)}, server=server)

@app.post("<PATH>")
async def sell():
    return Response(STORED, media_type="application/json")
"""
"""The reference SDK as its documentation shows it."""


class Buyer:
    """Asks one server, from ever new clients."""

    def __init__(self, name: str, port: int, times: dict[tuple[str, str], list[float]]) -> None:
        self._name, self._port, self._times = name, port, times
        self._count = 0

    def timed(self, what: str, body: bytes, status: int, **fields: str) -> load.Answer:
        """One answer, and how long it took. Raises ``SystemExit`` where it is not what it should be."""
        self._count += 1
        client = f"198.18.{self._count // CLIENTS}.{self._count % CLIENTS + 1}"
        request = load.post(PATH, body, Connection="close", X_Forwarded_For=client, **fields)
        begin = time.perf_counter()
        answer = load.ask(self._port, request)
        self._times.setdefault((self._name, what), []).append((time.perf_counter() - begin) * 1000)
        if answer.status != status:
            raise SystemExit(f"{self._name}, {what}: {answer.status} {answer.body[:300]!r}")
        return answer


def sale(buyer: Buyer, body: bytes, replayed: int) -> load.Answer:
    """Preflight, payment, and the same request once more."""
    offered = buyer.timed("preflight", body, REQUIRED)
    terms: dict[str, Any] = json.loads(base64.b64decode(offered.fields["payment-required"]))
    entry = terms["accepts"][0]
    entry["extra"].setdefault("assetTransferMethod", "eip3009")
    payload = test_buyer().pay(entry, int(clock.now().timestamp()), secrets.token_bytes)
    accepted = json.loads(base64.b64decode(offered.fields["payment-required"]))["accepts"][0]
    signed = {"x402Version": 2, "accepted": accepted, "payload": payload, "resource": terms["resource"]}
    field = base64.b64encode(json.dumps(signed).encode()).decode()
    paid = buyer.timed("paid retry", body, PAID, Payment_Signature=field)
    buyer.timed("replay", body, replayed, Payment_Signature=field)
    return paid


def bodies(run: str) -> Iterator[bytes]:
    """Requests that nobody has paid for."""
    number = 0
    while True:
        number += 1
        yield json.dumps(
            {"topic": f"What a bot signature proves, and what it does not {run}x{number}"[:200], "freshness_days": 30}
        ).encode()


def peer(folder: Path, port: int, result: bytes) -> list[str | Path]:
    """The SDK on uvicorn with the parser and the loop that citepress has."""
    (folder / "result.json").write_bytes(result)
    (folder / "peer_x402.py").write_text(PEER.replace("<PATH>", PATH), "utf-8")
    how = ["--http", "httptools", "--loop", "uvloop", "--no-access-log", "--log-level", "warning"]
    return [PEERS / "uvicorn", "--host", load.HOST, "--port", str(port), *how, "peer_x402:app"]


def report(times: dict[tuple[str, str], list[float]]) -> bool:
    """Print the table; whether every bar holds."""
    good = True
    for what, bar in HOLDS.items():
        mine = times["citepress", what]
        p95 = quantiles(mine, n=20)[-1]
        good = good and p95 < bar
        line = f"{what:11} citepress {median(mine):6.1f} ms, p95 {p95:6.1f} (bar {bar:.0f})"
        if other := times.get(("x402 SDK", what)):
            figures.record(f"{what.replace(' ', '_')}_over_x402", median(mine) / median(other))
            line += (
                f"   SDK {median(other):6.1f} ms, p95 {quantiles(other, n=20)[-1]:6.1f}   ratio"
                f" {median(mine) / median(other):.2f}"
            )
        print(line)
    return good


def main() -> int:
    """Sell, here and there in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sales", type=int, default=60)
    count = parser.parse_args().sales
    print(f"load average {os.getloadavg()[0]:.1f}")
    times: dict[tuple[str, str], list[float]] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citepress-bench-")))
        port = load.free_port()
        command: list[str | Path] = [
            sys.executable,
            "-m",
            "citepress",
            "serve",
            "--workers",
            "1",
            DEMO,
            "--port",
            str(port),
            "--state",
            folder / "state",
        ]
        stack.enter_context(running(command, port, folder, CITEPRESS_TRUSTED_PROXIES=load.HOST))
        requests, buyers = bodies(secrets.token_hex(3)), [(Buyer("citepress", port, times), PAID)]
        result = sale(buyers[0][0], next(requests), PAID).body
        if (PEERS / "uvicorn").exists():
            other = load.free_port()
            stack.enter_context(running(peer(folder, other, result), other, folder))
            buyers.append((Buyer("x402 SDK", other, times), REQUIRED))
            sale(buyers[1][0], next(requests), REQUIRED)
        times.clear()
        for _ in range(count):
            body = next(requests)
            for buyer, replayed in buyers:
                sale(buyer, body, replayed)
    return 0 if report(times) else 1


if __name__ == "__main__":
    sys.exit(main())
