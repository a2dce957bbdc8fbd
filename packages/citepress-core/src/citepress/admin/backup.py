"""Backs up and restores what cannot be built again: submissions, ledger, keys, counts, logs, revisions, captures."""

import hashlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from citepress import __version__
from citepress.admin.kept_state import DATABASE_NAME, remember_kept, saved_folders
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.base.folder_lock import LOCK_FILE as LOCK
from citepress.base.restore_mark import MARK_FILE, refuse_unfinished
from citepress.base.timestamps import rfc3339
from citepress.settings import Settings
from citepress.stores.sql.backup import (
    TableDigest,
    copy_rows,
    create_missing,
    digest_file,
    digest_rows,
    holds_rows,
    undeclared_tables,
)
from citepress.stores.sql.database import STATE_FILE, Database
from citepress.stores.sql.migrate import open_existing_store, open_tables
from citepress.stores.sql.store_tables import StoreTables, declared_stores

MANIFEST = "backup.json"
MANIFEST_BYTES = 1_000_000


class BackupError(CitepressError):
    """A backup cannot be made, or cannot be trusted; the message says why."""


class SavedTable(BaseModel):
    """What a table of a backup holds."""

    model_config = ConfigDict(extra="forbid")

    rows: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Manifest(BaseModel):
    """The file that lies beside the databases of a backup."""

    model_config = ConfigDict(extra="forbid")

    format: int = Field(ge=1, le=1)
    citepress: str
    created_at: str
    databases: dict[Annotated[str, Field(pattern=DATABASE_NAME)], dict[str, SavedTable]] = Field(min_length=1)
    """By file, then by table."""
    files: dict[str, str] = {}
    """SHA-256 of each other file, by its path in the state folder."""

    @property
    def rows(self) -> int:
        """Rows of all tables."""
        return sum(table.rows for tables in self.databases.values() for table in tables.values())


@dataclass(frozen=True, slots=True)
class _Part:
    """One database of the state."""

    file: str
    """Its SQLite file, in the state folder and in a backup."""
    owned: tuple[StoreTables, ...]

    @property
    def tables(self) -> tuple[sa.Table, ...]:
        """The tables that are declared and backed up, in an order that their foreign keys allow."""
        return tuple(table for store in self.owned for table in store.copied())

    def opened(self, state: Path, address: str | None) -> Database:
        """The database, its tables brought up to date. Raises ``DatabaseError`` and ``StoreUnavailable``."""
        return open_tables(self.file, state, address)


def parts() -> tuple[_Part, ...]:
    """Every database that is backed up. Rendered reports are made again; single requests are never backed up."""
    return tuple(_Part(file, owned) for file, owned in declared_stores().items())


def back_up(settings: Settings, folder: Path) -> Manifest:
    """Copy the state into a new folder, each database as it is at one moment, and read every row back.

    Raises ``BackupError``, ``DatabaseError`` and ``StoreUnavailable``.
    """
    open_existing_store(settings.state, settings.database_url).close()
    declared = remember_kept(settings.state)
    # A PostgreSQL database has the tables of removed packages beside those of the core.
    files = [] if settings.database_url else [file for file in declared.databases if file not in declared_stores()]
    removed = [_Part(file, ()) for file in files if (settings.state / file).is_file()]
    with _new_folder(folder) as draft:
        saved = (*parts(), *removed)
        databases = {part.file: _save(settings, part, draft) for part in saved}
        copied = _copy_files(settings.state, draft, declared.folders)
        manifest = Manifest.model_validate(
            {
                "format": 1,
                "citepress": __version__,
                "created_at": rfc3339(clock.now()),
                "databases": {
                    file: {name: asdict(digest) for name, digest in tables.items()}
                    for file, tables in databases.items()
                },
                "files": copied,
            }
        )
        (draft / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", "utf-8")
        verify(draft)
    return manifest


def verify(folder: Path) -> Manifest:
    """Read every row of a backup and compare it with the manifest. Raises ``BackupError``."""
    manifest = _manifest(folder)
    for file, wanted in manifest.databases.items():
        try:
            held = digest_file(folder / file, wanted)
        except sqlite3.Error as error:
            raise BackupError(f"{folder / file} cannot be read: {error}") from None
        _compare(folder / file, {name: TableDigest(**dict(table)) for name, table in wanted.items()}, held)
    held_files = {name: _digest(folder / name) for name in _files(folder, saved_folders(manifest.files))}
    if wrong := sorted(name for name, digest in manifest.files.items() if held_files.get(name) != digest):
        raise BackupError(f"{folder / wrong[0]} is not there, or not as it was written")
    return manifest


def restore(settings: Settings, folder: Path) -> Manifest:
    """Write a backup into an empty state folder or an empty PostgreSQL database, and read every row back.

    Raises ``BackupError``, ``DatabaseError`` and ``StoreUnavailable``.
    """
    refuse_unfinished(settings.state)
    manifest = verify(folder)
    names = saved_folders(manifest.files)
    if present := next(_files(settings.state, names), None):
        raise BackupError(f"{settings.state / present} exists: restore into a new state folder")
    whole = parts()
    if unknown := sorted(manifest.databases.keys() - {part.file for part in whole}):
        raise BackupError(
            f"{folder / unknown[0]} is of a package that is not installed: install the packages of the installation"
            " that was backed up, and restore again"
        )
    with _targets(settings, whole) as targets, tempfile.TemporaryDirectory(prefix="citepress-restore-") as scratch:
        for part, target in zip(whole, targets, strict=True):
            if holds_rows(target, part.tables):
                raise BackupError(f"{target.name} is not empty: restore into a new state folder or an empty database")
            _refuse_unknown(manifest, part, target)
        mark = settings.state / MARK_FILE
        mark.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        mark.touch()
        for part, target in zip(whole, targets, strict=True):
            if part.file not in manifest.databases:  # of a package that was installed after the backup
                continue
            shutil.copyfile(folder / part.file, Path(scratch) / part.file)
            with closing(part.opened(Path(scratch), None)) as source:  # brings a backup of an older version up to date
                tables = (*part.tables, *(others := undeclared_tables(source)))
                if target.is_sqlite:
                    create_missing(source, target, others)
                copied = copy_rows(source, target, tables)
            _compare(target.name, copied, digest_rows(target, tables))
    if _copy_files(folder, settings.state, names) != manifest.files:
        raise BackupError(f"{folder} was changed while it was read")
    mark.unlink()
    return manifest


def _refuse_unknown(manifest: Manifest, part: _Part, target: Database) -> None:
    """PostgreSQL gets no tables but from the migrations of their package, which make their triggers too."""
    if target.is_sqlite:
        return
    with target.reading() as connection:
        unknown = {*manifest.databases.get(part.file, ())} - {*sa.inspect(connection).get_table_names()}
    if unknown:
        raise BackupError(
            f"{target.name} has no table {min(unknown)}, which a package makes that is not installed: install the"
            " packages of the installation that was backed up, and restore again"
        )


def _files(folder: Path, names: Iterable[str]) -> Iterator[str]:
    """The paths of the files of these folders below a folder, in order; links are left out."""
    for name in names:
        for path in sorted((folder / name).rglob("*")):
            if path.is_file() and not path.is_symlink() and path.name != LOCK:
                yield path.relative_to(folder).as_posix()


def _copy_files(source: Path, target: Path, names: Iterable[str]) -> dict[str, str]:
    """Copy the files of these folders; the SHA-256 of each copy."""
    digests: dict[str, str] = {}
    for name in _files(source, names):
        (target / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copyfile(source / name, target / name)
        digests[name] = _digest(target / name)
    return digests


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _save(settings: Settings, part: _Part, folder: Path) -> Mapping[str, TableDigest]:
    with (
        closing(part.opened(settings.state, settings.database_url)) as source,
        closing(part.opened(folder, None)) as target,
    ):
        # One PostgreSQL has the tables of all files; the file of the core takes those that nobody declares.
        others = undeclared_tables(source) if source.is_sqlite or part.file == STATE_FILE else ()
        create_missing(source, target, others)
        try:
            copied = copy_rows(source, target, (*part.tables, *others))
        except sa.exc.StatementError as error:
            raise BackupError(f"{part.file} has a row that cannot be copied: {error.orig}; {error.statement}") from None
    _make_single_file(folder / part.file)
    return copied


def _make_single_file(path: Path) -> None:
    """Leave SQLite's write-ahead log, so that the file is whole without those beside it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


@contextmanager
def _targets(settings: Settings, whole: tuple[_Part, ...]) -> Iterator[list[Database]]:
    databases = [part.opened(settings.state, settings.database_url) for part in whole]
    try:
        yield databases
    finally:
        for database in databases:
            database.close()


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A folder that gets its name when the block has ended, and is removed where it fails. Raises ``BackupError``."""
    draft = folder.with_name(f"{folder.name}.partial")
    try:
        if folder.exists():
            raise BackupError(f"{folder} exists: name a new folder")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True, mode=0o700)
        yield draft
        draft.rename(folder)
    except OSError as error:
        raise BackupError(f"{folder} cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    try:
        with path.open("rb") as file:
            return Manifest.model_validate_json(file.read(MANIFEST_BYTES))
    except OSError as error:
        raise BackupError(f"{path} cannot be read: {error.strerror}: name the folder of a backup") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BackupError(f"{path} is not the manifest of a backup: {place}: {first['msg']}") from None


def _compare(name: Any, wanted: Mapping[str, TableDigest], held: Mapping[str, TableDigest]) -> None:  # noqa: ANN401
    for table, digest in wanted.items():
        if (other := held.get(table)) != digest:
            rows = f"{other.rows} rows where {digest.rows} were written" if other else "no such table"
            if other and other.rows == digest.rows:
                rows = "rows that differ from those that were written"
            raise BackupError(f"{name}, table {table}: {rows}")
