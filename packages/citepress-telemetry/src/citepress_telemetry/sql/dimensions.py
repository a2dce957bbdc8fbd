"""Names of telemetry and their ids, which are assigned once and never reused."""

from collections.abc import Callable, Collection, Iterable, Mapping
from operator import attrgetter
from threading import Lock
from typing import Any

import sqlalchemy as sa

from citepress.stores.sql.database import Database
from citepress_telemetry.ports import FamilyRow, FindPages, MaterialRow
from citepress_telemetry.sql.rollup_tables import FAMILY, MATERIAL, OPERATOR, ROUTE

DIMENSIONS_LOCK = b"telemetry names"
STATEMENT_TIMEOUT_S = 60.0
"""Seconds that a statement may take: an edition may have a hundred thousand materials."""
_FACTS = ("canonical_path", "kind", "published_at", "html", "markdown", "json", "current")
"""Columns of a material beside its id."""
_facts: Callable[[MaterialRow], tuple[Any, ...]] = attrgetter(*_FACTS)


class SqlDimensions:
    """Names and their ids in a migrated database; safe to share between threads.

    Ids are cached in memory; they start at 1 and are never used again, and 0 means none.
    """

    def __init__(self, database: Database) -> None:
        """``database`` has the tables of the rollup history."""
        self._database = database
        self._ids: dict[tuple[Any, ...], int] = {}
        self._turn = Lock()

    def family(
        self, name: str, operator: str, purpose: str, cls: str, operation: str, disputed: str, *, named: bool
    ) -> int:
        """The id of a family; see ``FamilyRow``."""
        values = (name, operator, purpose, cls, operation, disputed, named)
        return self._id(FAMILY, dict(zip(FAMILY.c.keys()[1:], values, strict=True)))

    def route(self, template: str) -> int:
        """The id of a route template."""
        return self._id(ROUTE, {"template": template})

    def operator(self, name: str) -> int:
        """The id of a referring operator."""
        return self._id(OPERATOR, {"name": name})

    def materials(self, rows: Iterable[MaterialRow]) -> Mapping[str, int]:
        """Upsert the materials of an edition, whose own ids are ignored; return the ids by canonical path.

        All other materials are no longer current. Rows that did not change are not written.
        """
        facts = {row.canonical_path: _facts(row) for row in rows}
        with self._database.reading() as connection:
            rows_by_path = _materials(connection)
        if _differences(rows_by_path, facts):
            with self._database.writing(STATEMENT_TIMEOUT_S) as connection:
                self._database.lock(connection, DIMENSIONS_LOCK)
                _write(connection, _differences(_materials(connection), facts))
                rows_by_path = _materials(connection)
        return {path: row.id for path, row in rows_by_path.items() if path in facts}

    def material_ids(self, paths: Collection[str], pages: FindPages) -> Mapping[str, int]:
        """The ids of materials by canonical path; those that are not stored yet are added as ``pages`` describes them.

        A path that is neither stored nor a page has none. Nothing is changed of other materials.
        """
        with self._database.reading() as connection:
            ids = _stored_ids(connection, paths)
        missing = [path for path in paths if path not in ids]
        facts = {row.canonical_path: _facts(row) for row in pages(missing)} if missing else {}
        if facts:
            with self._database.writing(STATEMENT_TIMEOUT_S) as connection:
                self._database.lock(connection, DIMENSIONS_LOCK)
                stored = _stored_ids(connection, facts)  # another worker may have been first
                new = [dict(zip(_FACTS, fact, strict=True)) for path, fact in facts.items() if path not in stored]
                if new:
                    connection.execute(MATERIAL.insert(), new)
                ids |= _stored_ids(connection, facts)
        return ids

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
            return {id_: name for id_, name in connection.execute(table.select())}  # noqa: C416  (mypy does not take a row for a pair)

    def _id(self, table: sa.Table, values: Mapping[str, Any]) -> int:
        """The id from memory, or from the store, which is written only if the name is new."""
        key = (table.name, *values.values())
        with self._turn:
            if key not in self._ids:
                self._ids[key] = self._looked_up(table, values)
            return self._ids[key]

    def _looked_up(self, table: sa.Table, values: Mapping[str, Any]) -> int:
        query = sa.select(table.c.id).where(*(table.c[name] == value for name, value in values.items()))
        with self._database.reading() as connection:
            id_: int | None = connection.scalar(query)
        if id_ is not None:
            return id_
        with self._database.writing() as connection:
            self._database.lock(connection, DIMENSIONS_LOCK)
            id_ = connection.scalar(query)
            if id_ is None:
                id_ = int(connection.execute(table.insert().values(values)).inserted_primary_key[0])  # type: ignore[index]
            return id_


def _stored_ids(connection: sa.Connection, paths: Iterable[str]) -> dict[str, int]:
    """The ids of those materials among the canonical paths that are stored."""
    query = sa.select(MATERIAL.c.canonical_path, MATERIAL.c.id).where(MATERIAL.c.canonical_path.in_(list(paths)))
    return {path: id_ for path, id_ in connection.execute(query)}  # noqa: C416  (mypy does not take a row for a pair)


def _materials(connection: sa.Connection) -> dict[str, MaterialRow]:
    return {row.canonical_path: MaterialRow(*row) for row in connection.execute(MATERIAL.select())}


def _differences(
    rows_by_path: Mapping[str, MaterialRow], facts: Mapping[str, tuple[Any, ...]]
) -> dict[str, list[dict[str, Any]]]:
    """The rows to write: ``new`` and ``changed`` ones, and those that are ``gone`` from the edition."""
    stored = {path: _facts(row) for path, row in rows_by_path.items()}
    differences = {
        "new": [dict(zip(_FACTS, fact, strict=True)) for path, fact in facts.items() if path not in stored],
        "changed": [
            {"key": rows_by_path[path].id, **dict(zip(_FACTS, fact, strict=True))}
            for path, fact in facts.items()
            if stored.get(path, fact) != fact
        ],
        "gone": [{"key": row.id} for path, row in rows_by_path.items() if row.current and path not in facts],
    }
    return {name: rows for name, rows in differences.items() if rows}


def _write(connection: sa.Connection, rows: Mapping[str, list[dict[str, Any]]]) -> None:
    this = MATERIAL.c.id == sa.bindparam("key")
    statements: dict[str, sa.Executable] = {
        "new": MATERIAL.insert(),
        "changed": MATERIAL.update().where(this).values({name: sa.bindparam(name) for name in _FACTS}),
        "gone": MATERIAL.update().where(this).values(current=False),
    }
    for name, parameters in rows.items():
        connection.execute(statements[name], parameters)
