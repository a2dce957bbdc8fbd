"""The outgoing client against real servers that are slow, endless, redirecting, cut off or impostors."""

import datetime as dt
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from citepress import __version__
from citepress.base import outgoing
from citepress.base.outgoing import OutgoingClient, OutgoingError, Rules

RULES = Rules("test", total_s=60.0, most_bytes=1000, connect_s=60.0, redirects=2)


class Host(BaseHTTPRequestHandler):
    """Answers each path in its own wrong way."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        port = self.server.server_address[1]
        if self.path.startswith("/to?"):
            self._answer(302, location=self.path.partition("?")[2].replace("PORT", str(port)))
        elif self.path == "/post-me":
            self._answer(307, location="/ok")
        elif self.path == "/endless":
            self._endless(b"x" * 100, 0)
        elif self.path == "/slow":
            self._endless(b"x", 0.2)
        elif self.path == "/slow-head":
            self._slow_head()
        elif self.path == "/short":
            self.send_response(200)
            self.send_header("Content-Length", "50")
            self.end_headers()
            self.wfile.write(b"ten bytes.")
            self.close_connection = True
        elif self.path == "/no-http":
            self.wfile.write(b"<p>who are you?</p>\r\n\r\n")
            self.close_connection = True
        elif self.path == "/folded":
            self.wfile.write(
                b"HTTP/1.1 200 OK\r\nX-A: one\r\n WARC/1.1\r\n \r\n\ttwo \xc3\xa0\r\nContent-Length: 0\r\n\r\n"
            )
        elif self.path == "/cut":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"10\r\nten bytes.")
            self.close_connection = True
        else:
            fields = "\n".join(f"{name}: {text}" for name, text in self.headers.items())
            self.close_connection = self.path == "/closed-without-notice"
            self._answer(200, f"{self.command} {self.path} {self.client_address[1]}\n{fields}".encode())

    def do_POST(self) -> None:
        self.do_GET()

    def _answer(self, status: int, body: bytes = b"", location: str = "") -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _endless(self, part: bytes, pause: float) -> None:
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        try:
            while True:
                self.wfile.write(part)
                time.sleep(pause)
        except OSError:
            pass

    def _slow_head(self) -> None:
        self.close_connection = True
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while True:
                self.wfile.write(b"x")
                time.sleep(0.2)
        except OSError:
            pass

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def running(wrap: Callable[[socket.socket], socket.socket] | None = None) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Host)
    server.daemon_threads, server.block_on_close = True, False
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    if wrap:
        server.socket = wrap(server.socket)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"{'https' if wrap else 'http'}://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    with running() as url:
        yield url


def refused(url: str, **changed: Any) -> str:
    """Why a request was refused."""
    rules = Rules(**{name: getattr(RULES, name) for name in Rules.__slots__} | changed)
    with pytest.raises(OutgoingError) as raised:
        OutgoingClient(rules).get(url)
    return str(raised.value)


def test_an_answer_is_whole_and_names_the_purpose(host: str) -> None:
    answer = OutgoingClient(RULES).get(f"{host}/ok?a=1", {"Accept": "application/json"})
    assert (answer.status, answer.url) == (200, f"{host}/ok?a=1")
    assert answer.body.startswith(b"GET /ok?a=1 ")
    assert f"User-Agent: citepress-test/{__version__}".encode() in answer.body
    assert b"Accept: application/json" in answer.body
    assert answer.fields["content-length"] == str(len(answer.body))


@pytest.mark.parametrize("path", ["/slow", "/slow-head"])
def test_a_slow_answer_ends_with_the_time_limit_however_it_drips(host: str, path: str) -> None:
    began = time.monotonic()
    assert refused(host + path, total_s=0.7) == "127.0.0.1 does not answer in time"
    assert time.monotonic() - began < RULES.total_s


def test_an_endless_answer_ends_with_the_size_limit(host: str) -> None:
    assert refused(f"{host}/endless") == "127.0.0.1 answers more than 1,000 bytes"


@pytest.mark.parametrize("path", ["/short", "/cut"])
def test_an_answer_shorter_than_announced_is_not_used(host: str, path: str) -> None:
    reason = refused(host + path)
    assert "ends its answer too early" in reason or "IncompleteRead" in reason


def test_what_is_no_http_is_said_without_repeating_it(host: str) -> None:
    assert refused(f"{host}/no-http") == "127.0.0.1 does not answer: what it sends is not HTTP"


def test_a_field_of_several_lines_is_one_line(host: str) -> None:
    assert OutgoingClient(RULES).get(f"{host}/folded").fields["x-a"] == "one WARC/1.1 two \xc3\xa0"


def test_a_redirect_within_the_origin_is_followed_and_counted(host: str) -> None:
    assert OutgoingClient(RULES).get(f"{host}/to?/ok").url == f"{host}/ok"
    assert refused(f"{host}/to?/to?/to?/ok") == "127.0.0.1 redirects more than 2 times"
    assert OutgoingClient(Rules("test", 60, 1000)).get(f"{host}/to?/ok").status == 302


def test_a_post_is_never_sent_anywhere_else(host: str) -> None:
    assert OutgoingClient(RULES).send("POST", f"{host}/post-me", b"{}").status == 307


def test_a_redirect_to_another_host_is_refused(host: str) -> None:
    assert "redirects to another host (localhost:" in refused(f"{host}/to?http://localhost:PORT/ok")


@pytest.mark.parametrize("target", ["http://127.0.0.2:PORT/ok", "http://localhost:PORT/ok", "http://[::1]:PORT/ok"])
def test_a_redirect_to_a_private_address_is_not_connected_to(host: str, target: str) -> None:
    assert "its address is not public" in refused(f"{host}/to?{target}", other_hosts=True, plain_http=True)


def test_a_name_that_turns_private_between_check_and_connection_is_not_connected_to(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(host.rpartition(":")[2])
    real = socket.getaddrinfo
    connections: list[str] = []

    def rebound(name: str, *rest: Any, **more: Any) -> Any:
        connections.append(name)
        return real("127.0.0.1", *rest, **more)

    monkeypatch.setattr(outgoing.socket, "getaddrinfo", rebound)
    reason = refused(f"{host}/to?http://rebinding.example:{port}/ok", other_hosts=True, plain_http=True)
    assert "its address is not public" in reason
    assert connections == ["127.0.0.1", "rebinding.example"], "resolved once, by the connection itself"


@pytest.mark.parametrize("target", ["file:///etc/passwd", "gopher://example.org/", "http://user:pw@example.org/"])
def test_a_redirect_to_what_is_no_web_address_is_refused(host: str, target: str) -> None:
    assert "redirects to" in refused(f"{host}/to?{target}", other_hosts=True, plain_http=True)


@pytest.mark.parametrize("url", ["http://example.org/", "ftp://example.org/", "https://u:p@example.org/", "https:///x"])
def test_an_address_without_tls_or_with_a_password_is_a_mistake_of_the_caller(url: str) -> None:
    with pytest.raises(ValueError, match="address"):
        OutgoingClient(RULES).get(url)


def test_a_host_that_is_not_there_is_named_without_its_path() -> None:
    assert refused("http://127.0.0.1:9/secret-key?token=1") == "127.0.0.1 does not answer: Connection refused"


def test_a_certificate_of_nobody_is_refused(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + dt.timedelta(days=36500))
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "own.pem"
    pem.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    with running(lambda plain: context.wrap_socket(plain, server_side=True)) as url:
        assert "has a certificate that cannot be verified" in refused(f"{url}/ok")


def test_connections_are_kept_and_a_stale_one_is_replaced(host: str) -> None:
    client = OutgoingClient(Rules("test", 2.0, 1000, keep=True))
    ports = [client.get(f"{host}/ok").body.split()[2] for _ in range(3)]
    assert len(set(ports)) == 1
    assert client.get(f"{host}/closed-without-notice").body.split()[2] == ports[0]
    assert client.get(f"{host}/ok").body.split()[2] != ports[0]


def test_only_the_host_that_was_named_sees_the_key(host: str) -> None:
    client = OutgoingClient(RULES, lambda method, netloc, path: {"Authorization": f"{method} {netloc} {path}"})
    assert f"Authorization: GET {host[7:]} /ok".encode() in client.get(f"{host}/ok").body
