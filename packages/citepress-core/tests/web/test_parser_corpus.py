"""Three thousand valid and invalid requests: none is ambiguous, hangs or causes a 500, and the log stays short."""

import logging
from pathlib import Path

import pytest

from citepress.base.bounded_log import BoundedLog
from citepress.http.body import receive_body
from citepress.http.message import Receive, Request, Response
from citepress.web import site
from citepress.web.server import connection, parser
from support.corpus import corpus
from support.corpus_client import Canary, Reaction, faults, sweep
from support.edition import printed
from support.in_process_server import answer, listening, run
from support.payloads import Payload, Verdict

pytestmark = pytest.mark.long

CANARY = Canary(b"GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n", 200, b"User-agent")
LOG_BYTES = 4000


async def read_whole(_request: Request, receive: Receive) -> Response:
    """Reads a body and says how long it was."""
    body = await receive_body(receive, 100_000, 3)
    return answer(
        b"%d bytes" % len(body) if isinstance(body, bytes) else b"none", 200 if isinstance(body, bytes) else 400
    )


def test_the_corpus_is_large_and_always_the_same() -> None:
    first, second = corpus(b"/read"), corpus(b"/read")
    assert first == second
    assert len(first) >= 2500
    assert {payload.verdict for payload in first} == set(Verdict)
    assert len({payload.data for payload in first}) == len(first)


@pytest.mark.parametrize(("loop", "step"), [("uvloop", 1), ("asyncio", 7)])
def test_no_payload_does_harm(
    tmp_path: Path, loop: str, step: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed(tmp_path)
    for module in (site, connection, parser):
        monkeypatch.setattr(module, "log", BoundedLog("citepress.test"))
    outcomes: list[tuple[Payload, Reaction, bool]] = []

    async def test() -> None:
        async with listening(tmp_path) as service:
            service.site_app.actions = {"/read": read_whole}
            outcomes.extend(await sweep(service.port, corpus(b"/read")[::step], CANARY))

    with caplog.at_level(logging.WARNING):
        run(loop, test(), 120)
    wrong = [
        (payload.name, fault, reaction)
        for payload, reaction, hung in outcomes
        for fault in faults(payload, reaction, CANARY, hung=hung)
    ]
    assert wrong[:10] == []
    assert sum(len(record.getMessage()) for record in caplog.records) < LOG_BYTES
