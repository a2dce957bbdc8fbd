"""The time until a folder that was never built answers: ``python bench/first_page.py [RECORDS] [--size N]``.

From the start of ``citepress serve`` until the page of a record is served, and until search finds a record; the memory
of all its processes is looked at all the while. The default is 10000 records of 8 KB.
"""

import argparse
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import meter
import synthetic

PORT = 8137
LIMIT_S = 1800.0
"""Seconds after which nobody waits for the whole edition any more."""
PAGE, SEARCH = "/posts/note-77/", "/search.json?query=note"


def answers(path: str) -> bool:
    """Whether a path answers with 200."""
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{PORT}{path}", timeout=30).close()
    except OSError:  # another status too
        return False
    return True


def main() -> None:
    """Write the text, start the server, tell when it answers what."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("records", type=int, nargs="?", default=10_000)
    parser.add_argument("--size", type=int, default=8000, help="characters of a text")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="citepress-bench-") as scratch:
        archive = Path(scratch) / "archive"
        synthetic.write(archive, options.records, options.size)
        print(f"{options.records:,} records of {options.size:,} characters; {meter.load()}")
        command = [sys.executable, "-m", "citepress", "serve", str(archive), "--port", str(PORT)]
        began, peak = time.monotonic(), 0.0
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                for what, path in (("first page", PAGE), ("search", SEARCH)):
                    while not answers(path):
                        peak = max(peak, meter.memory(server.pid))
                        if server.poll() is not None or time.monotonic() - began > LIMIT_S:
                            raise SystemExit(f"no {what} within {time.monotonic() - began:.0f} s")
                        time.sleep(0.2)
                    print(f"{what:10} {time.monotonic() - began:7.1f} s", flush=True)
            finally:
                server.terminate()
        print(f"memory of all processes, shared pages once: {peak:,.0f} MB at most")


if __name__ == "__main__":
    main()
