"""Serves the sources of this archive on loopback: ``sources.py before`` or ``after``, until Ctrl-C."""  # noqa: INP001  (a script)

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT = 8099
HOURS = "There are twelve numerals on each face, and each of the four faces looks at another street of the town."
WOUND = "The clock is wound on every Monday before the market opens, and the key hangs in the hall."
LATE = "In March the clock lost four minutes a day, because the oil had thickened in the cold."
BELL = "The bell was recast in the year of the flood by two brothers from the valley."
BEFORE = {"stays": [WOUND], "edited": [LATE, BELL], "gone": [HOURS], "closed": [], "waiting": [HOURS]}
AFTER = {**BEFORE, "edited": [LATE.replace("four minutes a day", "four or five minutes each day")], "gone": []}
"""The paragraphs of each page; one without is not there, or is closed."""


def page(name: str, paragraphs: list[str]) -> bytes:
    """The HTML of a page."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in (HOURS, *paragraphs))
    return f"<!doctype html><html lang=en><title>{name}</title><main><h1>{name}</h1>{text}</main></html>".encode()


def server(pages: dict[str, list[str]], port: int = PORT) -> ThreadingHTTPServer:
    """A server of these pages; ``closed`` asks for a login."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/")
            paragraphs = pages.get(name)
            self.send_response(200 if paragraphs else 401 if name == "closed" else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page(name, paragraphs) if paragraphs else b"")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name of the library)
            """Nothing."""

    return ThreadingHTTPServer(("127.0.0.1", port), Handler)


if __name__ == "__main__":
    server({"before": BEFORE, "after": AFTER}[sys.argv[1]]).serve_forever()
