"""Upserts of many rows, each merged with the stored row of its key, in the fastest way of each database."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

Rows = Sequence[tuple[Any, ...]]


def upsert(connection: sa.Connection, table: sa.Table, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert rows (values in the order of the columns); columns of existing keys are merged by ``info['merge']``.

    A key must not occur twice.
    """
    row_list = rows if isinstance(rows, list | tuple) else list(rows)
    if not row_list:
        return
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(_sqlite_statement(table), row_list)
        return
    columns = list(zip(*row_list, strict=True))
    connection.execute(
        _postgresql_statement(table),
        {f"p_{column.name}": list(values) for column, values in zip(table.c, columns, strict=True)},
    )


def upsert_selected(connection: sa.Connection, table: sa.Table, select: sa.Select[Any]) -> None:
    """The same with the rows of a query, which must have a WHERE clause: without one SQLite misparses the statement."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    statement = insert(table).from_select([column.name for column in table.c], select)
    connection.execute(_merging(statement, table))


@cache
def _sqlite_statement(table: sa.Table) -> str:
    statement = sqlite.insert(table).values({column.name: sa.bindparam(column.name) for column in table.c})
    return str(_merging(statement, table).compile(dialect=sqlite.dialect(paramstyle="qmark")))


@cache
def _postgresql_statement(table: sa.Table) -> sa.Executable:
    """One array for each column: thousands of rows are one message."""
    arrays = [
        sa.func.unnest(sa.bindparam(f"p_{column.name}", type_=postgresql.ARRAY(column.type))).label(column.name)
        for column in table.c
    ]
    statement = postgresql.insert(table).from_select([column.name for column in table.c], sa.select(*arrays))
    merging: sa.Executable = _merging(statement, table)
    return merging


def _merging(statement: Any, table: sa.Table) -> Any:  # noqa: ANN401  (the insert of either dialect)
    changes = {
        column.name: _MERGED[column.info.get("merge", "sum")](column, statement.excluded[column.name])
        for column in table.c
        if not column.primary_key
    }
    return statement.on_conflict_do_update(index_elements=list(table.primary_key), set_=changes)


_Merge = Callable[[Any, Any], Any]
_MERGED: dict[str, _Merge] = {
    "sum": lambda old, new: old + new,
    "min": lambda old, new: sa.case((new < old, new), else_=old),
    "max": lambda old, new: sa.case((new > old, new), else_=old),
    "replace": lambda _, new: new,
}
