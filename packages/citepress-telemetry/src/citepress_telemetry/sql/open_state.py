"""The state carried over to the next hour, in the database: replaced each hour, read only after a start."""

from itertools import chain

import sqlalchemy as sa

from citepress_telemetry.model import CarryOver, OpenSession
from citepress_telemetry.sql.packing import packed_words, unpacked_words
from citepress_telemetry.sql.rollup_tables import BURST_OPEN, PAIR_OPEN, SESSION_OPEN
from citepress_telemetry.sql.upsert import upsert

_FIELDS = OpenSession.__match_args__
"""The fields are the columns, in order."""


def write_open(connection: sa.Connection, after: CarryOver) -> None:
    """Replace the stored state."""
    for table in (SESSION_OPEN, BURST_OPEN, PAIR_OPEN):
        connection.execute(table.delete())
    upsert(connection, SESSION_OPEN, [tuple(getattr(session, name) for name in _FIELDS) for session in after.sessions])
    upsert(connection, BURST_OPEN, list(after.bursts.items()))
    slots = (
        (family, [(*key, n) for key, n in counters.items()], less) for family, (counters, less) in after.pairs.items()
    )
    upsert(
        connection,
        PAIR_OPEN,
        [(family, less, packed_words(list(chain.from_iterable(rows)))) for family, rows, less in slots],
    )


def read_open(connection: sa.Connection) -> CarryOver:
    """The state that was written last."""
    sessions = tuple(
        OpenSession(*row) for row in connection.execute(SESSION_OPEN.select().order_by(*SESSION_OPEN.primary_key))
    )
    bursts = {family: last for family, last in connection.execute(BURST_OPEN.select())}  # noqa: C416  (mypy does not take a row for a pair)
    pairs = {}
    for family, subtracted, slots in connection.execute(PAIR_OPEN.select()):
        words = unpacked_words(slots)
        pairs[family] = ({(a, b): n for a, b, n in zip(words[::3], words[1::3], words[2::3], strict=True)}, subtracted)
    return CarryOver(sessions, bursts, pairs)
