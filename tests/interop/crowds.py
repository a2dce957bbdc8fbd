"""Several processes at one ledger and one signer, and processes that die on a payment's way."""

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from anvil import SELLER, Anvil, Now, environment

from citepress_payments.outcomes import PurchaseResult
from support.payment_service import paid

WORKER = Path(__file__).with_name("worker.py")
PRICE = 50_000
EACH, PROCESSES = 12, 2
POINTS = ("quote", "claim", "verify", "journal", "broadcast", "receipt", "settle")
LAPSED = 40
"""Seconds after which a dead process's lease is over."""


def _worker(chain: Anvil, folder: str, *args: Any) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        str(WORKER),
        json.dumps({"url": chain.url, "key": chain.key_file, "folder": folder}),
        *map(str, args),
    ]
    return subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def many(chain: Anvil) -> str:
    """24 payments for different bodies, two processes, one signer: 24 transfers and no gap between the nonces."""
    with tempfile.TemporaryDirectory() as folder:
        chain.market(Path(folder), Now()).close()
        before, start = chain.held(SELLER), time.perf_counter()
        workers = [_worker(chain, folder, "pay", EACH) for _ in range(PROCESSES)]
        answers = [json.loads(_finished(worker)) for worker in workers]
        spent = time.perf_counter() - start
        results = [result for each in answers for result in each]
        assert [result["sort"] for result in results] == ["Result"] * EACH * PROCESSES, results
        assert len({result["tx"] for result in results}) == EACH * PROCESSES
        nonces = sorted(int(chain.ask("eth_getTransactionByHash", result["tx"])["nonce"], 16) for result in results)
        assert nonces == list(range(EACH * PROCESSES)), nonces
        assert chain.held(SELLER) - before == EACH * PROCESSES * PRICE
        return f"nonces 0..{nonces[-1]}, {spent:.1f} s with the processes' start"


def copies(chain: Anvil) -> str:
    """24 copies of one payment over two processes: one transfer, one answer."""
    with tempfile.TemporaryDirectory() as folder:
        market = chain.market(Path(folder), now := Now())
        field = paid(market.terms(), now).decode()  # type: ignore[arg-type]
        before = chain.held(SELLER)
        workers = [_worker(chain, folder, "copies", EACH, field) for _ in range(PROCESSES)]
        results = [result for worker in workers for result in json.loads(_finished(worker))]
        market.close()
        assert {(result["sort"], result["body"], result["tx"]) for result in results} == {
            ("Result", results[0]["body"], results[0]["tx"])
        }, results
        assert chain.held(SELLER) - before == PRICE
        assert chain.count(chain.signer) == 1
        return f"{len(results)} equal answers, 1 transfer"


def crashes(chain: Anvil) -> str:
    """The process is killed at each point; the same header then gets the result, and one price moved."""
    for point in POINTS:
        with tempfile.TemporaryDirectory() as folder:
            now = Now()
            market = chain.market(Path(folder), now)
            field = paid(market.terms(), now)  # type: ignore[arg-type]
            before, sent = chain.held(SELLER), chain.count(chain.signer)
            dead = _worker(chain, folder, "die", point, field.decode())
            dead.communicate(timeout=120)
            assert dead.returncode == -signal.SIGKILL, (point, dead.returncode)
            now.ahead = LAPSED
            outcome = market.signed(field)
            market.close()
            assert isinstance(outcome, PurchaseResult), (point, outcome)
            assert chain.held(SELLER) - before == PRICE, point
            assert chain.count(chain.signer) - sent == 1, point
    return ", ".join(POINTS)


def _finished(worker: subprocess.Popen[str]) -> str:
    out, err = worker.communicate(timeout=180)
    assert worker.returncode == 0, err[-800:]
    return out.strip().splitlines()[-1]


CROWDS = {"24 payments, 2 processes": many, "24 copies, 2 processes": copies, "crash points": crashes}
