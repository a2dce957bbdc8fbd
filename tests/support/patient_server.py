"""``citepress`` with all the time it wants for Valkey: on a busy machine a server would go on without it at once."""

from collections.abc import Sequence
from functools import partial

from citepress import cli
from citepress.app import worker
from citepress.stores.valkey.counters import ValkeyCounters
from support.waiting import PATIENCE_S


def main(arguments: Sequence[str]) -> None:
    """Run a command."""
    worker.ValkeyCounters = partial(ValkeyCounters, timeout=PATIENCE_S)  # type: ignore[misc, assignment]
    cli.main(arguments)
