"""The tables of telemetry's rollups and names; ``h`` are hours and ``d`` days since 1970, keys begin with the time.

Each column says how values of the same key are merged (``merge``): by default numbers are added and everything else is
replaced.
"""

from typing import Any, NamedTuple

import sqlalchemy as sa

ROLLUPS = sa.MetaData()
HOUR, DAY = "h", "d"
Type = type[sa.types.TypeEngine[Any]]


class PeriodTables(NamedTuple):
    """The tables of sums by hour, or by day."""

    traffic: sa.Table
    family: sa.Table
    """``counters`` are u32: five of status, five of verification, seven of representation, thirteen of depth, one of
    requests without an address; zeros at the end are left out."""
    path: sa.Table
    probe: sa.Table
    referral: sa.Table
    gateway: sa.Table


def _key(name: str, type_: Type = sa.Integer) -> sa.Column[Any]:
    return sa.Column(name, type_, primary_key=True, autoincrement=False)


def _value(name: str, type_: Type = sa.BigInteger, merge: str = "") -> sa.Column[Any]:
    merged = merge or ("sum" if issubclass(type_, sa.Integer) else "replace")
    return sa.Column(name, type_, nullable=False, info={"merge": merged})


def _packed(*names: str) -> list[sa.Column[Any]]:
    return [_value(name, sa.LargeBinary, "replace") for name in names]


def _table(name: str, *columns: sa.Column[Any], wide: bool = False) -> sa.Table:
    """Narrow rows are stored in their index; with wide ones SQLite fills its pages better with a separate index."""
    return sa.Table(name, ROLLUPS, *columns, sqlite_with_rowid=wide)


def _period(period: str, time: str) -> PeriodTables:
    places = [_key(name, sa.SmallInteger) for name in ("rep", "status", "verify")]
    classes = [_key("class", sa.SmallInteger), _key("purpose", sa.Text), *places]
    sums = ("n", "ok", "bytes", "sessions", "cut", "robots_only", "bursts", "depth_sum", "depth_max")
    values = [*(_value(name, merge="replace") for name in sums), *_packed("counters", "materials")]
    parts = [_key(name, sa.Text) for name in ("area", "name", "outcome")]
    return PeriodTables(
        _table(f"traffic_{period}", _key(time), *classes, *map(_value, ("n", "ok", "n304", "bytes"))),
        _table(f"family_{period}", _key(time), _key("family"), *values, wide=True),
        _table(f"path_{period}", _key(time), _key("family"), *_packed("steps", "edges"), wide=True),
        _table(f"probe_{period}", _key(time), _key("category", sa.Text), _value("n")),
        _table(f"referral_{period}", _key(time), _key("operator"), _value("n")),
        _table(f"gateway_{period}", _key(time), *parts, _value("n")),
    )


def _reads(name: str, *keys: sa.Column[Any], values: tuple[sa.Column[Any], ...] = ()) -> sa.Table:
    places = (_key("material"), _key("family"), _key("rep", sa.SmallInteger), _key("verify", sa.SmallInteger))
    return _table(name, *keys, *places, _value("n"), _value("n304"), *values)


def _names(name: str, *parts: sa.Column[Any] | sa.UniqueConstraint) -> sa.Table:
    """Names and their ids, which are never used again."""
    return sa.Table(name, ROLLUPS, sa.Column("id", sa.Integer, primary_key=True), *parts, sqlite_autoincrement=True)


def _unique(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, unique=True)


HOUR_TABLES, DAY_TABLES = _period("hour", HOUR), _period("day", DAY)
READ_HOUR = _reads("read_hour", _key(HOUR))
READ_TOTAL = _reads("read_total", values=(_value("first_h", sa.Integer, "min"), _value("last_h", sa.Integer, "max")))
PAIR_DAY = _table(
    "pair_day",
    _key(DAY),
    *map(_key, ("family", "from_material", "to_material")),
    *(_value(name, merge="replace") for name in ("n", "undercount")),
)
"""From 0 to 0 bounds every pair that is not listed; no material has the id 0."""

HOUR_CLOSED = _table(
    "hour_closed",
    _key(HOUR),
    _value("rows"),
    _value("last_row"),
    _value("observed_seconds", sa.Integer),
    _value("imported", sa.Boolean),
    _value("classifier", sa.Text),
    _value("counts", sa.Text),
)
"""The cursor: one permanent row for each closed hour."""

SESSION_OPEN = _table(
    "session_open",
    _key("family"),
    _key("net", sa.BigInteger),
    _value("last", sa.BigInteger),
    _value("depth", sa.Integer),
    *(_value(name, sa.Integer) for name in ("first", "prev", "prev_material")),
    _value("robots_only", sa.Boolean),
    _value("prev_miss", sa.BigInteger),
    _value("read", sa.Integer),
)
BURST_OPEN = _table("burst_open", _key("family"), _value("last"))
PAIR_OPEN = _table("pair_open", _key("family"), _value("subtracted"), _value("slots", sa.LargeBinary))
"""``slots`` are u32 triples: from, to, count; zlib."""

IMPORT_CURSOR = _table(
    "import_cursor",
    _key("head", sa.LargeBinary),
    _value("head_size", sa.Integer, "replace"),
    _value("digest", sa.LargeBinary, "replace"),
    *(_value(name, sa.BigInteger, "replace") for name in ("position", "first_uncounted", "last_hour")),
)

OVERLAY = sa.Table(
    "overlay",
    ROLLUPS,
    sa.Column("generation", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("as_of", sa.BigInteger, nullable=False),
    sa.Column("pack", sa.LargeBinary, nullable=False),
)
"""Rendered reports; ``pack`` is compressed (zstd)."""

_FACTS = ("name", "operator", "purpose", "class", "operation", "disputed")
FAMILY = _names(
    "family",
    *(sa.Column(name, sa.Text, nullable=False) for name in _FACTS),
    sa.Column("named", sa.Boolean, nullable=False),
    sa.UniqueConstraint(*_FACTS, "named", name="family_once"),
)
"""Rows never change: another purpose, class or operator is another family."""
ROUTE, OPERATOR = _names("route", _unique("template")), _names("operator", _unique("name"))
MATERIAL = _names(
    "material",
    _unique("canonical_path"),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("published_at", sa.Integer),
    *(sa.Column(name, sa.Boolean, nullable=False) for name in ("html", "markdown", "json", "current")),
)
