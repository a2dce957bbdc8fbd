"""How long a check of 1,000 cited sources takes whose copies stand, over loopback, where no host is waited for.

``python bench/sources.py [NUMBER]`` prints seconds on the clock and of the processor: of a first check that copies all
of them, of one that finds the same bytes, and of one that finds other bytes with the same text, so that each is read.
"""

import os
import resource
import sys
import tempfile
import time
from ipaddress import ip_network
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from citepress.base import clock
from citepress_objects.files import FileObjects
from citepress_sources.checking import Captures, SourceChecker, Wish, observations
from citepress_sources.fetching import Fetcher
from citepress_sources.journal import Journal
from support.origin import NETWORK, Reply, page, scripted_origin

NUMBER = 1_000
PARAGRAPHS = 40


def main(number: int) -> None:
    """Check the sources of a site three times."""
    print(f"load average {os.getloadavg()[0]:.1f}, {number} sources")
    with scripted_origin() as site, tempfile.TemporaryDirectory() as folder:
        captures = Captures(FileObjects(Path(folder), folder), Journal(Path(folder)))
        wishes = [Wish(f"{site.url}/{each}", f"{site.url}/{each}") for each in range(number)]
        for label, footer in (("first", "one"), ("same bytes", "one"), ("same text", "two")):
            site.pages |= {f"/{each}": Reply(_page(each, footer)) for each in range(number)}
            began, spent = time.perf_counter(), _processor()
            fetcher = Fetcher(networks=(ip_network(NETWORK),))
            checks = SourceChecker(captures, fetcher, clock.now, label).check_all(wishes)
            states = {check.status for check in checks}
            observed = len(list(observations(captures, {wish.url: () for wish in wishes})))
            captures.close()  # so that its processor time is counted
            wall, busy = time.perf_counter() - began, _processor() - spent
            print(f"{label:<11} {wall:6.1f} s on the clock, {busy:6.1f} s of the processor, {observed} {states}")


def _page(number: int, footer: str) -> bytes:
    words = (
        f"Paragraph {part} of page {number} says what tables say of trains and clocks." for part in range(PARAGRAPHS)
    )
    return page(*words, title=f"Page {number}", footer=footer)


def _processor() -> float:
    """Seconds of this process and of those that have ended, the site included."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else NUMBER)
