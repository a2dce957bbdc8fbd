"""A site on loopback whose pages the test edits, moves, blocks, slows down and takes away."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

HOST = "127.0.0.1"
NETWORK = "127.0.0.0/8"
"""What a check of it has to allow."""
WORDS = "A timetable without a date cannot be trusted, the office says in every circular that it sends."
STORY = (
    "The office prints a table for each night of the week, and nobody has asked it to stop doing so since 1931.",
    WORDS,
    "There are twelve stations on the line, and each of them has two clocks that are set by hand every morning.",
    "Whoever finds a table that contradicts a clock is asked to write to the office, which answers within a month.",
)
PAGE = """<!doctype html><html lang="en"><head><title>{title}</title><meta name="date" content="2026-01-05">
{head}</head><body><header><nav><a href="/">Home</a> <a href="/about">About us</a></nav></header>
<main><article><h1>{title}</h1>{text}</article></main>{around}<footer>{footer}</footer></body></html>"""


def page(*paragraphs: str, title: str = "On tables", head: str = "", around: str = "", footer: str = "") -> bytes:
    """A page of these paragraphs, or of the story."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs or STORY)
    return PAGE.format(title=title, head=head, text=text, around=around, footer=footer).encode()


@dataclass
class Reply:
    """What a path answers."""

    body: bytes = b""
    status: int = 200
    fields: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})
    endless: float | None = None
    """Seconds between two parts of a body that never ends."""


@dataclass
class ScriptedOrigin:
    """The site: its address, its pages, and what was asked of it."""

    url: str
    port: int
    pages: dict[str, Reply] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Path and header fields of each request."""

    def paths(self) -> list[str]:
        """The paths that were asked for, without ``robots.txt``."""
        return [path for path, _ in self.requests if path != "/robots.txt"]


@contextlib.contextmanager
def scripted_origin(host: str = HOST) -> Iterator[ScriptedOrigin]:
    """A running site without pages."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append((self.path, {name.lower(): text for name, text in self.headers.items()}))
            reply = site.pages.get(self.path, Reply(b"not here", 404))
            self.send_response(reply.status)
            for name, text in reply.fields.items():
                self.send_header(name, text)
            if reply.endless is None:
                self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(reply.body)
                while reply.endless is not None:
                    self.wfile.write(b"x" * 65_536 if reply.endless == 0 else b"x")
                    time.sleep(reply.endless)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the base's name)
            del format, args

    server = ThreadingHTTPServer((host, 0), Handler)
    server.daemon_threads, server.block_on_close = True, False
    site = ScriptedOrigin(f"http://{host}:{server.server_address[1]}", server.server_address[1])
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
