"""Many rows into a table at once, each added to what stands under its key: the way of each database that is fast."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

Rows = Sequence[tuple[Any, ...]]


def upsert(connection: sa.Connection, table: sa.Table, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert rows (values in the order of the columns); where the key is there, columns merge as ``info['merge']`` says.

    The rows are sorted by the caller or have distinct keys in any order; one key must not occur twice.
    """
    found = rows if isinstance(rows, list | tuple) else list(rows)
    if not found:
        return
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(_sqlite_statement(table), found)
        return
    columns = list(zip(*found, strict=True))
    connection.execute(
        _postgresql_statement(table), {f"p_{column.name}": list(values) for column, values in zip(table.c, columns, strict=True)}
    )


def upsert_selected(connection: sa.Connection, table: sa.Table, select: sa.Select[Any]) -> None:
    """The same with rows that a query gives; it must have a WHERE, or SQLite misreads what follows."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    statement = insert(table).from_select([column.name for column in table.c], select)
    connection.execute(_merging(statement, table))


@cache
def _sqlite_statement(table: sa.Table) -> str:
    statement = sqlite.insert(table).values({column.name: sa.bindparam(column.name) for column in table.c})
    return str(_merging(statement, table).compile(dialect=sqlite.dialect(paramstyle="qmark")))


@cache
def _postgresql_statement(table: sa.Table) -> sa.Executable:
    """One array a column: some thousand rows are one message."""
    arrays = [
        sa.func.unnest(sa.bindparam(f"p_{column.name}", type_=postgresql.ARRAY(column.type))).label(column.name) for column in table.c
    ]  # fmt: skip
    statement = postgresql.insert(table).from_select([column.name for column in table.c], sa.select(*arrays))
    found: sa.Executable = _merging(statement, table)
    return found


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
