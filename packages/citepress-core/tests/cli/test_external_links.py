"""``check --links external``: which sources count as dead, and where the check does not go."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from citepress.cli import external

STATUSES = {"/fine": 200, "/f%C3%AFne": 200, "/empty": 204, "/robots": 403, "/busy": 429, "/gone": 410, "/broken": 500}


class Source(BaseHTTPRequestHandler):
    """A source in some state, or one that redirects into the private network of whoever asks."""

    requests: list[str]

    def do_GET(self) -> None:
        self.requests.append(self.path)
        if self.path == "/inward":
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.2:{self.server.server_address[1]}/secret")
        elif self.path == "/raw":
            self.send_response(302)
            self.send_header("Location", "/f%C3%AFne".replace("%C3%AF", "\u00c3\u00af"))
        else:
            self.send_response(STATUSES[self.path])
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def source() -> Iterator[str]:
    Source.requests = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Source)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/fine", ""),
        ("/raw", ""),
        ("/empty", ""),
        ("/robots", "is unverifiable: it answers 403"),
        ("/busy", "is unverifiable: it answers 429"),
        ("/gone", "answers 410"),
        ("/broken", "answers 500"),
    ],
)
def test_a_source_is_alive_by_its_status(source: str, path: str, reason: str) -> None:
    assert external.unavailable_reason(source + path) == reason


def test_a_source_that_redirects_into_a_private_network_is_not_followed(source: str) -> None:
    assert external.unavailable_reason(f"{source}/inward") == "does not answer: its address is not public"
    assert "/secret" not in Source.requests


def test_a_source_that_is_not_there_is_named_with_the_reason() -> None:
    assert external.unavailable_reason("http://127.0.0.1:9/") == "does not answer: Connection refused"
