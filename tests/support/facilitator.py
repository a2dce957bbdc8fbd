"""A facilitator process that is good, slow, broken or a liar: ``python facilitator.py <its chain> <mood>``."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from support.fake_http_server import Answer, answering, jsonly
from support.waiting import PATIENCE_S

TESTS = Path(__file__).resolve().parents[1]
FALSE = "0x" + "fa" * 32
NETWORK = "eip155:84532"
PENDING = {"success": False, "errorReason": "settlement_pending"}
BROKEN = {
    "500": Answer(b'{"isValid":true}', 500),
    "html": Answer(b"<html>busy</html>"),
    "truncated": Answer(b'{"isValid":tr', length=99),
    "redirect": Answer(b"{}", 307, {"Location": "http://127.0.0.1:9/elsewhere"}),
    "huge": Answer(b'{"a":"' + b"x" * 70_000 + b'"}'),
    "unsettled": jsonly({"success": False, "errorReason": "busy", "transaction": "", "network": NETWORK}),
}


@dataclass
class Facilitator:
    """A running one."""

    url: str
    process: subprocess.Popen[str]

    def requested_paths(self) -> list[str]:
        """The paths that it was asked for."""
        with urlopen(f"{self.url}/seen", timeout=PATIENCE_S) as answer:
            paths: list[str] = json.load(answer)
        return paths


@contextlib.contextmanager
def facilitator(chain: str, mood: str) -> Iterator[Facilitator]:
    """A facilitator of a mood, over a chain at this address."""
    command = [sys.executable, str(Path(__file__).resolve()), chain, mood]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": str(TESTS), "PYTHONDONTWRITEBYTECODE": "1"}
    )
    try:
        assert process.stdout
        yield Facilitator(process.stdout.readline().strip(), process)
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        process.stdout.close()  # type: ignore[union-attr]


@dataclass
class Desk:
    """How a facilitator of a mood answers."""

    chain: str
    mood: str
    requests: list[str] = field(default_factory=list)
    listed: list[Any] = field(default_factory=list)
    """What a catalogue behind it would learn."""

    def answer(self, path: str, body: bytes) -> Answer:
        """Any request."""
        if path == "/seen":
            return jsonly(self.requests)
        self.requests.append(path)
        if path == "/supported":
            kind = {"x402Version": 2, "scheme": "exact" if self.mood != "foreign" else "upto", "network": NETWORK}
            return jsonly({"kinds": [kind], "extensions": [], "signers": {}})
        request = json.loads(body)
        assert request["paymentRequirements"] == request["paymentPayload"]["accepted"]
        members = {"x402Version", "accepted", "payload"}
        assert set(request["paymentPayload"]) in (
            members,
            members | {"resource", "extensions"},
        ), "the buyer's extensions go nowhere"
        self.listed += [
            request["paymentPayload"][name] for name in ("resource", "extensions") if name in request["paymentPayload"]
        ]
        payer = request["paymentPayload"]["payload"]["authorization"]["from"]
        return self._verified(payer) if path == "/verify" else self._settled(request, payer)

    def _verified(self, payer: str) -> Answer:
        if self.mood == "refusing":
            return jsonly({"isValid": False, "invalidReason": "insufficient_funds", "payer": payer}, 400)
        return BROKEN["html"] if self.mood == "unreadable" else jsonly({"isValid": True, "payer": payer.lower()})

    def _settled(self, request: dict[str, Any], payer: str) -> Answer:
        if self.mood in BROKEN:
            return BROKEN[self.mood]
        response = {"success": True, "transaction": FALSE, "network": NETWORK, "payer": payer}
        if self.mood == "lying":
            return jsonly(response)
        response["transaction"] = _settled(self.chain, request)
        if self.mood == "silent":
            return Answer(b"", length=10)
        return jsonly(
            response
            | {"good": {}, "failing": {"success": False, "errorReason": "transaction_failed"}}.get(self.mood, PENDING)
        )


def _settled(chain: str, request: dict[str, Any]) -> str:
    body = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "test_settle", "params": [request["paymentPayload"]["payload"]]}
    ).encode()
    with urlopen(Request(chain, body), timeout=PATIENCE_S) as answer:
        return str(json.load(answer)["result"])


if __name__ == "__main__":
    with answering(Desk(sys.argv[1], sys.argv[2]).answer) as address:
        print(address, flush=True)  # noqa: T201  (how the parent learns it)
        while True:
            time.sleep(60)
