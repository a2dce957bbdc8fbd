"""Asks external sources whether they still answer; only for ``check --links external``."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus

from rich.progress import track

from citepress.archive.model import Archive
from citepress.base.outgoing import OutgoingClient, OutgoingError, Rules
from citepress.cli.console import err
from citepress.contract.fault import EXTERNAL_LINK, Fault, Span

CHECK_RULES = Rules(
    "check", total_s=20.0, most_bytes=0, redirects=10, other_hosts=True, plain_http=True, head_only=True
)
AT_ONCE = 8
MAX_CHECKED_ADDRESSES = 5000
UNVERIFIABLE = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)
"""Statuses of a host that refuses machines: whether the page exists cannot be said."""


def external_faults(archive: Archive) -> Iterator[Fault]:
    """A warning for each source that does not answer, at the first record that cites it."""
    sources = list(archive.ledger.values())[:MAX_CHECKED_ADDRESSES]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        reasons = pool.map(unavailable_reason, (source.url for source in sources))
        watched = track(
            reasons, "Asking sources", len(sources), console=err, disable=not err.is_terminal, transient=True
        )
        for source, reason in zip(sources, watched, strict=True):
            if reason:
                file = archive.entries[source.citations[0].record].file if source.citations else ""
                yield Fault.at(
                    EXTERNAL_LINK, Span(file), f"{source.url} {reason}", "correct the address, or cite an archived copy"
                )


def unavailable_reason(url: str) -> str:
    """Why the source does not count as alive; empty when it answers."""
    try:
        status = OutgoingClient(CHECK_RULES).get(url).status
    except OutgoingError as error:
        return error.reason
    except ValueError as error:
        return f"cannot be asked: {error}"
    if status in UNVERIFIABLE:
        return f"is unverifiable: it answers {status}"
    return "" if status < HTTPStatus.BAD_REQUEST or status == HTTPStatus.METHOD_NOT_ALLOWED else f"answers {status}"
