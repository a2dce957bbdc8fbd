"""Rendered reports in a database that several nodes share: one compressed row for each generation."""

import logging

import sqlalchemy as sa
import zstandard

from citepress.stores.sql.database import Database
from citepress_telemetry.sql.rollup_tables import OVERLAY

MAX_KEPT_GENERATIONS = 2
OVERLAY_TIMEOUT_S = 60.0
"""Seconds that a statement may take: a pack may have tens of megabytes."""
OVERLAY_LOCK = b"telemetry overlay"
OVERLAY_COMPRESSION_LEVEL = 3
MAX_PACK_BYTES = 1 << 31
"""Bytes of the largest pack, so that a damaged row cannot exhaust memory."""
log = logging.getLogger(__name__)


class SqlOverlay:
    """Implements ``telemetry.ports.Overlay`` on a migrated database."""

    def __init__(self, database: Database) -> None:
        """``database`` has the tables of the rollup history."""
        self._database = database

    def put(self, generation: int, as_of: int, pack: bytes) -> None:
        """Publish a pack; see the port. Raises ``StoreUnavailable``."""
        row = {
            "generation": generation,
            "as_of": as_of,
            "pack": zstandard.ZstdCompressor(OVERLAY_COMPRESSION_LEVEL).compress(pack),
        }
        with self._database.writing(OVERLAY_TIMEOUT_S) as connection:
            self._database.lock(connection, OVERLAY_LOCK)
            connection.execute(OVERLAY.delete().where(OVERLAY.c.generation == generation))
            connection.execute(OVERLAY.insert().values(row))
            newest = connection.scalars(
                sa.select(OVERLAY.c.generation).order_by(OVERLAY.c.generation.desc()).limit(MAX_KEPT_GENERATIONS)
            ).all()
            connection.execute(OVERLAY.delete().where(OVERLAY.c.generation < newest[-1]))

    def newest(self) -> int | None:
        """The newest generation."""
        with self._database.reading() as connection:
            newest: int | None = connection.scalar(sa.select(sa.func.max(OVERLAY.c.generation)))
        return newest

    def get(self, generation: int) -> bytes | None:
        """A pack."""
        with self._database.reading() as connection:
            packed = connection.scalar(sa.select(OVERLAY.c.pack).where(OVERLAY.c.generation == generation))
        try:
            return (
                None
                if packed is None
                else zstandard.ZstdDecompressor().decompress(bytes(packed), max_output_size=MAX_PACK_BYTES)
            )
        except zstandard.ZstdError:
            log.exception("generation %d of the reports is damaged", generation)
            return None

    def as_of(self, generation: int) -> int | None:
        """The hour after the last one that a generation counts."""
        with self._database.reading() as connection:
            return connection.scalar(sa.select(OVERLAY.c.as_of).where(OVERLAY.c.generation == generation))
