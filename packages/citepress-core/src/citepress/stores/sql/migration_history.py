"""The histories of migrations: the folder of each, and the table that says how far a database is."""

from dataclasses import dataclass
from pathlib import Path

PATIENCE = 300.0
"""Seconds that a migration may take, and that other processes wait for it."""


@dataclass(frozen=True, slots=True)
class MigrationHistory:
    """Migrations of one set of tables; several histories may share a database."""

    folder: str
    """Folder of the migrations, relative to this file."""
    table: str = "alembic_version"
    """Table that stores the database's current revision."""

    @property
    def path(self) -> Path:
        """The folder of the migrations."""
        return Path(__file__).parent / self.folder


STATE = MigrationHistory("migrations")
ROLLUPS = MigrationHistory("rollup_migrations", "telemetry_version")
