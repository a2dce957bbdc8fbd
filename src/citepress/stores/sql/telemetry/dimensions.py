"""Names of telemetry and their ids: given once, never changed, never used again."""

from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any

import sqlalchemy as sa

from citepress.stores.sql.database import Database
from citepress.stores.sql.telemetry.rollup_tables import FAMILY, MATERIAL, OPERATOR, ROUTE
from citepress.telemetry.ports import FamilyRow, MaterialRow

TURN = b"telemetry names"
PATIENCE = 60.0
"""Seconds that a statement may take: an edition may bring a hundred thousand materials."""
_FACTS = ("canonical_path", "kind", "published_at", "html", "markdown", "json", "current")
"""Columns of a material beside its id."""


class SqlDimensions:
    """Fills ``telemetry.ports.Dimensions`` on a migrated database; safe to share between threads."""

    def __init__(self, database: Database) -> None:
        """``database`` has the tables of the rollup history."""
        self._database = database
        self._known: dict[tuple[Any, ...], int] = {}
        self._turn = Lock()

    def family(self, name: str, operator: str, purpose: str, cls: str, operation: str, disputed: str, *, named: bool) -> int:
        """The id of a family."""
        values = (name, operator, purpose, cls, operation, disputed, named)
        return self._id(FAMILY, dict(zip(FAMILY.c.keys()[1:], values, strict=True)))

    def route(self, template: str) -> int:
        """The id of a route template."""
        return self._id(ROUTE, {"template": template})

    def operator(self, name: str) -> int:
        """The id of a referring operator."""
        return self._id(OPERATOR, {"name": name})

    def materials(self, known: Iterable[MaterialRow]) -> Mapping[str, int]:
        """Upsert the materials of an edition; see the port. Rows that did not change are not written."""
        facts = {row.canonical_path: tuple(getattr(row, name) for name in _FACTS) for row in known}
        with self._database.reading() as connection:
            stand = _materials(connection)
        if _differences(stand, facts):
            with self._database.writing(PATIENCE) as connection:
                self._database.lock(connection, TURN)
                _write(connection, _differences(_materials(connection), facts))
                stand = _materials(connection)
        return {path: row.id for path, row in stand.items() if path in facts}

    def families(self) -> Mapping[int, FamilyRow]:
        """Every family by id."""
        with self._database.reading() as connection:
            return {row[0]: FamilyRow(*row) for row in connection.execute(FAMILY.select())}

    def routes(self) -> Mapping[int, str]:
        """Every template by id."""
        return self._names(ROUTE)

    def operators(self) -> Mapping[int, str]:
        """Every referring operator by id."""
        return self._names(OPERATOR)

    def all_materials(self) -> Mapping[int, MaterialRow]:
        """Every material by id."""
        with self._database.reading() as connection:
            return {row.id: row for row in _materials(connection).values()}

    def _names(self, table: sa.Table) -> Mapping[int, str]:
        with self._database.reading() as connection:
            return {id_: name for id_, name in connection.execute(table.select())}  # noqa: C416  (a row is no pair for mypy)

    def _id(self, table: sa.Table, values: Mapping[str, Any]) -> int:
        """The id from memory, or from the store, which is written only where the name is new."""
        key = (table.name, *values.values())
        with self._turn:
            if key not in self._known:
                self._known[key] = self._looked_up(table, values)
            return self._known[key]

    def _looked_up(self, table: sa.Table, values: Mapping[str, Any]) -> int:
        known = sa.select(table.c.id).where(*(table.c[name] == value for name, value in values.items()))
        with self._database.reading() as connection:
            found: int | None = connection.scalar(known)
        if found is not None:
            return found
        with self._database.writing() as connection:
            self._database.lock(connection, TURN)
            found = connection.scalar(known)
            if found is None:
                found = int(connection.execute(table.insert().values(values)).inserted_primary_key[0])  # type: ignore[index]
            return found


def _materials(connection: sa.Connection) -> dict[str, MaterialRow]:
    return {row.canonical_path: MaterialRow(*row) for row in connection.execute(MATERIAL.select())}


def _differences(stand: Mapping[str, MaterialRow], facts: Mapping[str, tuple[Any, ...]]) -> dict[str, list[dict[str, Any]]]:
    """What has to be written: ``new`` rows, ``changed`` ones, and those that are ``gone`` from the edition."""
    known = {path: tuple(getattr(row, name) for name in _FACTS) for path, row in stand.items()}
    found = {
        "new": [dict(zip(_FACTS, fact, strict=True)) for path, fact in facts.items() if path not in known],
        "changed": [
            {"key": stand[path].id, **dict(zip(_FACTS, fact, strict=True))} for path, fact in facts.items() if known.get(path, fact) != fact
        ],
        "gone": [{"key": row.id} for path, row in stand.items() if row.current and path not in facts],
    }
    return {name: rows for name, rows in found.items() if rows}


def _write(connection: sa.Connection, rows: Mapping[str, list[dict[str, Any]]]) -> None:
    this = MATERIAL.c.id == sa.bindparam("key")
    statements: dict[str, sa.Executable] = {
        "new": MATERIAL.insert(),
        "changed": MATERIAL.update().where(this).values({name: sa.bindparam(name) for name in _FACTS}),
        "gone": MATERIAL.update().where(this).values(current=False),
    }
    for name, parameters in rows.items():
        connection.execute(statements[name], parameters)
