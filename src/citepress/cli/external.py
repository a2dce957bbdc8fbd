"""Asking external sources whether they still answer; only when ``check --links external`` is typed."""

import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

from rich.progress import track

from citepress import __version__
from citepress.archive.model import Archive
from citepress.cli.console import err
from citepress.contract.fault import EXTERNAL_LINK, Fault, Span

SECONDS = 10
AT_ONCE = 8
MOST = 5000
REFUSALS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.TOO_MANY_REQUESTS)
"""Answers of a living page that does not like robots: no fault."""


def external_faults(archive: Archive) -> Iterator[Fault]:
    """A warning for each source that does not answer, at the first record that cites it."""
    sources = list(archive.ledger.values())[:MOST]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = pool.map(_reason, (source.url for source in sources))
        watched = track(answers, "Asking sources", len(sources), console=err, disable=not err.is_terminal, transient=True)
        for source, reason in zip(sources, watched, strict=True):
            if reason:
                file = archive.entries[source.citations[0].record].file if source.citations else ""
                yield Fault.at(EXTERNAL_LINK, Span(file), f"{source.url} {reason}", "mend the address, or cite an archived copy")


def _reason(url: str) -> str:
    """Why the source counts as dead; empty when it answers."""
    request = urllib.request.Request(url, method="GET", headers={"User-Agent": f"citepress-check/{__version__}", "Accept": "*/*"})  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=SECONDS):  # noqa: S310  (normalised sources are http or https)
            return ""
    except urllib.error.HTTPError as error:
        return "" if error.code in REFUSALS else f"answers {error.code}"
    except (OSError, ValueError) as error:
        return f"does not answer: {getattr(error, 'reason', error)}"
