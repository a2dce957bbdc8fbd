"""``citepress`` with all the time it wants for its stores: on a busy machine a server would go on without them.

Without Valkey it counts by itself, and a writer whom others of the file keep waiting is refused with 503.
"""

from collections.abc import Sequence
from functools import partial

from citepress import cli
from citepress.stores.sql import migrate
from citepress.stores.sql.database import open_sqlite
from citepress_fleet import valkey_counters
from citepress_fleet.valkey_counters import ValkeyCounters
from support.waiting import PATIENCE_S


def main(arguments: Sequence[str]) -> None:
    """Run a command."""
    valkey_counters.ValkeyCounters = partial(ValkeyCounters, timeout=PATIENCE_S)  # type: ignore[misc, assignment]
    migrate.open_sqlite = partial(open_sqlite, wait=PATIENCE_S)
    cli.main(arguments)
