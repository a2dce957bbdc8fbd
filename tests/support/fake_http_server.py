"""A small HTTP server in a thread, whose responses, valid or not, are set by the test."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Answer:
    """What goes back."""

    body: bytes
    status: int = 200
    fields: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0
    length: int | None = None
    """A Content-Length that is not the body's."""
    drip: float = 0.0
    """Seconds between two bytes."""


Answers = Callable[[str, bytes], Answer]
"""Takes the path and the body of a request."""


def jsonly(value: Any, status: int = 200) -> Answer:
    """A JSON document."""
    return Answer(json.dumps(value).encode(), status, {"Content-Type": "application/json"})


def rpc(body: bytes, answer: Callable[[str, list[Any]], Any]) -> Answer:
    """An answer to JSON-RPC; what ``told`` raises is a node's error."""
    request = json.loads(body)
    try:
        result = {"result": answer(request["method"], request.get("params") or [])}
    except Exception as fault:  # noqa: BLE001  (a node answers with an error)
        result = {"error": {"code": getattr(fault, "code", -32602), "message": str(fault), "data": "0x"}}
    return jsonly({"jsonrpc": "2.0", "id": request["id"], **result})


@contextlib.contextmanager
def answering(answers: Answers, admits: Callable[[str, str, Mapping[str, str]], bool] | None = None) -> Iterator[str]:
    """The address of a server that answers so; 401 to whom it does not admit by method, path and header fields."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 20

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self._say(answers(self.path, body) if self._admitted() else Answer(b"who are you?", 401))

        def do_GET(self) -> None:
            self._say(answers(self.path, b"") if self._admitted() else Answer(b"who are you?", 401))

        def _admitted(self) -> bool:
            return admits is None or admits(self.command, self.path, dict(self.headers.items()))

        def _say(self, answer: Answer) -> None:
            time.sleep(answer.wait)
            self.send_response(answer.status)
            for name, value in answer.fields.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body) if answer.length is None else answer.length))
            self.end_headers()
            with contextlib.suppress(OSError):
                for place in range(len(answer.body)) if answer.drip else ():
                    self.wfile.write(answer.body[place : place + 1])
                    self.wfile.flush()
                    time.sleep(answer.drip)
                if not answer.drip:
                    self.wfile.write(answer.body)
            if answer.length is not None:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base's name)
            del format, args

    server = ThreadingHTTPServer((HOST, 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://{HOST}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
