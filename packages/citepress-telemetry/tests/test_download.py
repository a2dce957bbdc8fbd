import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from citepress.base.outgoing import agent
from citepress_telemetry.identify.verify.download import DOWNLOAD_RULES, download
from citepress_telemetry.identify.verify.refresh import DOCUMENT_BYTES, FetchError


class Operator(BaseHTTPRequestHandler):
    """Serves a list, redirects, too much, and nothing."""

    def do_GET(self) -> None:
        here = f"http://127.0.0.1:{self.server.server_address[1]}"
        away = f"http://localhost:{self.server.server_address[1]}/list.json"
        if self.path in {"/near", "/far", "/round"}:
            self.send_response(302)
            self.send_header(
                "Location", {"/near": f"{here}/list.json", "/far": away, "/round": f"{here}/round"}[self.path]
            )
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = {"/list.json": self.headers["User-Agent"].encode(), "/big": b"x" * (DOCUMENT_BYTES + 10)}.get(self.path)
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def operator() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Operator)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_document_is_fetched_under_our_own_name_and_through_a_redirect_of_its_host(operator: str) -> None:
    assert download(f"{operator}/list.json") == agent("ranges").encode()
    assert download(f"{operator}/near") == agent("ranges").encode()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/far", "redirects to another host"),
        ("/big", "answers more than"),
        ("/nothing", "the server answered 404"),
        ("/round", "redirects more than 3 times"),
    ],
)
def test_a_document_from_elsewhere_too_large_or_missing_is_refused(operator: str, path: str, reason: str) -> None:
    with pytest.raises(FetchError, match=reason):
        download(f"{operator}{path}")


def test_a_server_that_is_not_there_is_told_of_in_a_sentence() -> None:
    with pytest.raises(FetchError, match="does not answer"):
        download("http://127.0.0.1:9/list.json", rules=replace(DOWNLOAD_RULES, total_s=2))
