"""What a ``tools/call`` costs: ``python bench/mcp.py [--calls N] [--rounds N]``.

A fixture tool with a prepared answer of five hits through the whole endpoint (body, limit, header rules, arguments,
outline), in both eras, beside a handler of Starlette that parses the JSON and returns the same answer with no
checks, the same with the bytes stored, and the official SDK's low-level server (stateless, JSON). citepress has its
own server, the others granian, one of them uvicorn, all with uvloop. Processor time of each server's process tree a
call, from /proc; eight connections, one core for the servers and one for the load, rounds interleaved. Starlette,
granian, uvloop and mcp are looked for in ``.bench/venv``.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(
    ROOT / "tests"
)  # the archive of the tests; and this folder holds a module that is called like the SDK
sys.path.append(str(ROOT / "bench"))

import figures  # noqa: E402
import load  # noqa: E402
import meter  # noqa: E402
from serve import PEERS, measured, running  # noqa: E402

from citepress.contract.limits import Limit  # noqa: E402
from citepress.operations import OperationContext  # noqa: E402
from citepress.stores.local.counters import LocalCounters  # noqa: E402
from citepress.web.asgi import Asgi  # noqa: E402
from citepress.web.serve import serve  # noqa: E402
from citepress.web.site import SiteApp  # noqa: E402
from citepress_mcp.endpoint import Endpoint  # noqa: E402
from citepress_mcp.transport import HostPolicy, Transport  # noqa: E402
from support import mcp_endpoint as fixture  # noqa: E402

SERVER = "--server"
TOOL = "bench_prepared"
MANY = 1_000_000
OK = 200
ITEMS = [
    fixture.Item(id=f"posts/n{n}", title=f"Agents {n}", snippet="Some words on it. " * 20, topics=["one", "two"])
    for n in range(5)
]
ANSWER = fixture.ListAnswer(as_of=fixture.DAY, total=5, results=ITEMS)
HEAD = """
import json
from pathlib import Path
RESULT = json.loads(Path(__file__).with_name("result.json").read_bytes())
"""
STARLETTE = """
from starlette.applications import Starlette
from starlette.responses import {kind}
from starlette.routing import Route
STORED = json.dumps({{"jsonrpc": "2.0", "id": 1, "result": RESULT}}, separators=(",", ":"), ensure_ascii=False).encode()
async def call(request):
    message = await request.json()
    return {answer}
app = Starlette(routes=[Route("/mcp", call, methods=["POST"])])
"""
SDK = """
from mcp import types
from mcp.server.lowlevel import Server
PREPARED = types.CallToolResult.model_validate(RESULT)
async def call(context, params):
    return PREPARED
app = Server("bench", on_call_tool=call).streamable_http_app(json_response=True, stateless_http=True)
"""
PEER = {
    "starlette": STARLETTE.format(
        kind="JSONResponse", answer='JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": RESULT})'
    ),
    "starlette, stored bytes": STARLETTE.format(
        kind="Response", answer='Response(STORED, media_type="application/json")'
    ),
    "starlette on uvicorn": STARLETTE.format(
        kind="JSONResponse", answer='JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": RESULT})'
    ),
    "official SDK": SDK,
}


def prepared(_ask: fixture.ListAsk, _context: OperationContext) -> fixture.ListAnswer:
    """The answer that stands."""
    return ANSWER


def application(state: str) -> Asgi:
    """One worker: the endpoint with the fixture tool beside our own."""
    here = fixture.operation_context(Path(state))
    offered = fixture.offer((*fixture.OPERATIONS, replace(fixture.LIST, name=TOOL, run=prepared)))
    counters, limit = LocalCounters(), Limit("mcp", MANY, 60)
    site_app = SiteApp(here.edition, counters, here.edition.fields, limit=limit)
    endpoint = Endpoint(offered, lambda: here)
    transport = Transport(endpoint, counters, limit, site_app.client, HostPolicy(here.base_url), here.base_url)
    site_app.actions = dict.fromkeys(fixture.BOTH, transport)
    return Asgi(site_app)


def call(era: str) -> bytes:
    """The bytes of a call as a good client of this era sends it."""
    modern = era == fixture.MODERN
    params = {"name": TOOL, "arguments": {"query": "Agents"}}
    fields = fixture.fields("tools/call", params, modern=modern) | ({} if modern else {"mcp-protocol-version": era})
    body = json.dumps(fixture.message("tools/call", params, modern=modern)).encode()
    headers = {name.replace("-", "_"): value for name, value in fields.items() if name != "content-type"}
    named = f"Host: {load.HOST}\r\n".encode()
    return load.post("/mcp", body, **headers).replace(named, named.replace(b"\r", b":80\r"))  # the SDK wants a port


@contextmanager
def on_core(number: int) -> Iterator[None]:
    """Whatever is started in the block stays on one core; afterwards this process has the others."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(before)[number % len(before)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def peer(name: str, folder: Path, port: int) -> list[str | Path]:
    """A handler on granian, or on uvicorn with the parser and the loop that citepress has."""
    module = "peer_" + name.replace(", ", "_").replace(" ", "_")
    (folder / f"{module}.py").write_text(HEAD + PEER[name])
    if "uvicorn" in name:
        how = ["--http", "httptools", "--loop", "uvloop", "--no-access-log", "--log-level", "warning"]
        return [PEERS / "uvicorn", "--host", load.HOST, "--port", str(port), *how, f"{module}:app"]
    return [
        PEERS / "granian",
        "--interface",
        "asgi",
        "--host",
        load.HOST,
        "--port",
        str(port),
        "--no-ws",
        "--log-level",
        "warning",
        f"{module}:app",
    ]


def main() -> None:
    """Start all, check that they answer alike, measure in both eras, and tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citepress-bench-")))
        port = load.free_port()
        fixture.printed(folder / "state", fixture.served_at(port))
        servers: dict[str, tuple[int, int]] = {}
        with on_core(0):
            command = [Path(sys.executable), Path(__file__).resolve(), SERVER, folder / "state", str(port)]
            servers["citepress"] = (stack.enter_context(running(command, port, folder)), port)
            result = json.loads(load.ask(port, call(fixture.HANDSHAKE[0])).body)["result"]
            (folder / "result.json").write_text(json.dumps(result))
            for name in PEER:
                port = load.free_port()
                servers[name] = (stack.enter_context(running(peer(name, folder, port), port, folder)), port)
        stack.enter_context(on_core(1))
        print(f"{meter.load()}; an answer of {len(json.dumps(result)):,} bytes")
        for era in (fixture.MODERN, fixture.HANDSHAKE[0]):
            report(era, servers, options.calls, options.rounds)


def report(era: str, servers: dict[str, tuple[int, int]], calls: int, rounds: int) -> None:
    """The rows of one era; whoever does not speak it is left out."""
    request = call(era)
    answers = {name: load.ask(port, request) for name, (_, port) in servers.items()}
    good = {
        name: servers[name] for name, answer in answers.items() if answer.status == OK and b'"result"' in answer.body
    }
    seconds = measured(good, request, calls, rounds)
    base = min(seconds["starlette"])
    print(f"{era:26} min µs of the processor a call, and in handlers of starlette")
    for name in ("starlette", "official SDK"):
        if name in seconds:
            figures.record(f"mcp_{era}_over_{name}", min(seconds["citepress"]) / min(seconds[name]))
    for name, costs in seconds.items():
        print(f"{name:26} {min(costs):8.1f}   {min(costs) / base:5.2f}", flush=True)
    for name in servers.keys() - good.keys():
        print(f"{name:26} answers {answers[name].status}: {answers[name].body[:200]!r}")


if __name__ == "__main__":
    if sys.argv[1:2] == [SERVER]:
        serve(partial(application, sys.argv[2]), port=int(sys.argv[3]))
        sys.exit()
    main()
