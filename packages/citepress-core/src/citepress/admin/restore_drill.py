"""Restores a backup on trial and records the date, because only a restore proves that a backup is complete."""

import sqlite3
import tempfile
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from citepress.admin.backup import BackupError, Manifest, restore
from citepress.base import clock
from citepress.base.replaced_file import replace_file
from citepress.settings import Settings

DRILL_FILE = "drill.json"
MAX_DRILL_BYTES = 10_000


class Drill(BaseModel):
    """The last restore drill of an installation."""

    model_config = ConfigDict(extra="ignore")

    drilled_at: datetime
    backup_created_at: datetime


def drill(settings: Settings, backup: Path) -> Manifest:
    """Restore a backup into a temporary folder, let SQLite check it, and record the date in the state folder.

    The state itself is not touched. Raises ``BackupError``, ``DatabaseError`` and ``StoreUnavailable``.
    """
    if not settings.state.is_dir():
        raise BackupError(
            f"{settings.state} is no state folder, where the day is noted: name it with --state or --content"
        )
    with tempfile.TemporaryDirectory(prefix="citepress-drill-") as scratch:
        state = Path(scratch) / "state"
        manifest = restore(replace(settings, state=state, database_url=None), backup)
        for file in manifest.databases:
            with closing(sqlite3.connect(state / file)) as connection:
                (first,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if first != "ok":
                raise BackupError(
                    f"{backup / file} was restored, and SQLite finds it damaged ({first}): make another backup"
                )
    done = Drill(drilled_at=clock.now(), backup_created_at=datetime.fromisoformat(manifest.created_at))
    replace_file(settings.state / DRILL_FILE, done.model_dump_json(indent=2).encode() + b"\n")
    return manifest


def last_drill(state: Path) -> Drill | None:
    """The last drill; none where there was none, or where its note cannot be read."""
    try:
        with (state / DRILL_FILE).open("rb") as file:
            return Drill.model_validate_json(file.read(MAX_DRILL_BYTES))
    except (OSError, ValidationError):
        return None
