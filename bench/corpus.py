"""What servers make of three thousand requests, sound and not: ``python bench/corpus.py [--show N]``.

The corpus of ``tests/support/corpus.py`` against ``citepress serve`` on the demo archive, nginx, and a small
application on granian and uvicorn: how many payloads are read in two ways (an answer to a request inside a body, or
to more requests than were sent), taken though malformed, refused though sound, met with a 5xx, or left hanging.
Needs nginx on the PATH, granian and uvicorn beside this interpreter; a peer that is missing is left out.
"""

import argparse
import asyncio
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import load
import meter
import peers

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.corpus import corpus
from support.corpus_client import Canary, faults, sweep

CANARY = b"GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n"
KINDS = ("desynchronised", "took what is malformed", "refused what is sound", "5xx", "hung", "ended without a word")


def main() -> None:
    """Start each server in turn, send everything, tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--show", type=int, default=0, help="payloads of each fault to name")
    options = parser.parse_args()
    payloads = corpus(b"/mcp")
    print(f"{meter.load()}; {len(payloads):,} payloads")
    print(f"{'':12}" + "".join(f"{kind:>24}" for kind in KINDS) + f"{'bytes of log':>14}")
    for name, make in peers.SERVERS.items():
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="citepress-bench-")))
            port = load.free_port()
            command = make(folder, port)
            if not shutil.which(command[0]):
                print(f"{name} is left out: {command[0]} is not there")
                continue
            stack.enter_context(peers.running(command, port, folder))
            answer = load.ask(port, CANARY)
            canary = Canary(CANARY, answer.status, answer.body[:10])
            counts: Counter[str] = Counter()
            shown: Counter[str] = Counter()
            for payload, outcome, hung in asyncio.run(sweep(port, payloads, canary)):
                for fault in faults(payload, outcome, canary, hung=hung):
                    counts[fault] += 1
                    shown[fault] += 1
                    if shown[fault] <= options.show:
                        print(f"  {name}: {fault}: {payload.name}: {[status for status, _ in outcome.answers]}")
            log = (folder / "log").stat().st_size
            print(f"{name:12}" + "".join(f"{counts[kind]:24}" for kind in KINDS) + f"{log:14,}")


if __name__ == "__main__":
    main()
