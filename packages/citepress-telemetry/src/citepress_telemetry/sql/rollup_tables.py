"""The tables of telemetry's rollups and names; ``h`` are hours and ``d`` days since 1970, keys begin with the time.

Each column says how values of the same key are merged (``merge``): by default numbers are added and everything else is
replaced.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.types import TypeEngine

ROLLUPS = MetaData()
HOUR, DAY = "h", "d"


def _key(name: str, type_: type[TypeEngine[Any]] = Integer) -> Column[Any]:
    return Column(name, type_, primary_key=True, autoincrement=False)


def _value(name: str, type_: type[TypeEngine[Any]] = BigInteger, merge: str = "") -> Column[Any]:
    return Column(
        name, type_, nullable=False, info={"merge": merge or ("sum" if issubclass(type_, Integer) else "replace")}
    )


def _table(name: str, *columns: Column[Any], wide: bool = False) -> Table:
    """Narrow rows are stored in their index; with wide ones SQLite fills its pages better with a separate index."""
    return Table(name, ROLLUPS, *columns, sqlite_with_rowid=wide)


def _traffic(name: str, time: str) -> Table:
    keys = (
        _key("class", SmallInteger),
        _key("purpose", Text),
        *(_key(place, SmallInteger) for place in ("rep", "status", "verify")),
    )
    return _table(name, _key(time), *keys, *map(_value, ("n", "ok", "n304", "bytes")))


def _family(name: str, time: str) -> Table:
    sums = ("n", "ok", "bytes", "sessions", "cut", "robots_only", "bursts", "depth_sum", "depth_max")
    packed = ("counters", "materials")
    values = [
        *(_value(each, merge="replace") for each in sums),
        *(_value(each, LargeBinary, "replace") for each in packed),
    ]
    return _table(name, _key(time), _key("family"), *values, wide=True)


def _path(name: str, time: str) -> Table:
    packed = [_value(each, LargeBinary, "replace") for each in ("steps", "edges")]
    return _table(name, _key(time), _key("family"), *packed, wide=True)


def _reads(name: str, *keys: Column[Any], values: tuple[Column[Any], ...] = ()) -> Table:
    places = (_key("material"), _key("family"), _key("rep", SmallInteger), _key("verify", SmallInteger))
    return _table(name, *keys, *places, _value("n"), _value("n304"), *values)


TRAFFIC_HOUR, TRAFFIC_DAY = _traffic("traffic_hour", HOUR), _traffic("traffic_day", DAY)
FAMILY_HOUR, FAMILY_DAY = _family("family_hour", HOUR), _family("family_day", DAY)
"""``counters`` are u32: five of status, five of verification, seven of representation, thirteen of depth, one of
requests without an address; zeros at the end are left out."""
PATH_HOUR, PATH_DAY = _path("path_hour", HOUR), _path("path_day", DAY)
READ_HOUR = _reads("read_hour", _key(HOUR))
READ_TOTAL = _reads("read_total", values=(_value("first_h", Integer, "min"), _value("last_h", Integer, "max")))
PROBE_HOUR, PROBE_DAY = (
    _table(f"probe_{name}", _key(name[0]), _key("category", Text), _value("n")) for name in ("hour", "day")
)
REFERRAL_HOUR, REFERRAL_DAY = (
    _table(f"referral_{name}", _key(name[0]), _key("operator"), _value("n")) for name in ("hour", "day")
)
GATEWAY_HOUR, GATEWAY_DAY = (
    _table(f"gateway_{name}", _key(name[0]), *(_key(part, Text) for part in ("area", "name", "outcome")), _value("n"))
    for name in ("hour", "day")
)
PAIR_DAY = _table(
    "pair_day",
    _key(DAY),
    _key("family"),
    _key("from_material"),
    _key("to_material"),
    _value("n", merge="replace"),
    _value("undercount", merge="replace"),
)
"""From 0 to 0 bounds every pair that is not listed; no material has the id 0."""

HOUR_CLOSED = _table(
    "hour_closed",
    _key(HOUR),
    _value("rows"),
    _value("last_row"),
    _value("observed_seconds", Integer),
    _value("imported", Boolean),
    _value("classifier", Text),
    _value("counts", Text),
)
"""The cursor: one permanent row for each closed hour."""

SESSION_OPEN = _table(
    "session_open",
    _key("family"),
    _key("net", BigInteger),
    _value("last", BigInteger),
    _value("depth", Integer),
    *(_value(name, Integer) for name in ("first", "prev", "prev_material")),
    _value("robots_only", Boolean),
    _value("prev_miss", BigInteger),
    _value("read", Integer),
)
BURST_OPEN = _table("burst_open", _key("family"), _value("last"))
PAIR_OPEN = _table("pair_open", _key("family"), _value("subtracted"), _value("slots", LargeBinary))
"""``slots`` are u32 triples: from, to, count; zlib."""

IMPORT_CURSOR = _table(
    "import_cursor",
    _key("head", LargeBinary),
    _value("head_size", Integer, "replace"),
    _value("digest", LargeBinary, "replace"),
    *(_value(name, BigInteger, "replace") for name in ("position", "first_uncounted", "last_hour")),
)

OVERLAY = Table(
    "overlay",
    ROLLUPS,
    Column("generation", BigInteger, primary_key=True, autoincrement=False),
    Column("as_of", BigInteger, nullable=False),
    Column("pack", LargeBinary, nullable=False),
)
"""Rendered reports; ``pack`` is compressed (zstd)."""

FAMILY = Table(
    "family",
    ROLLUPS,
    Column("id", Integer, primary_key=True),
    *(Column(name, Text, nullable=False) for name in ("name", "operator", "purpose", "class", "operation", "disputed")),
    Column("named", Boolean, nullable=False),
    UniqueConstraint("name", "operator", "purpose", "class", "operation", "disputed", "named", name="family_once"),
    sqlite_autoincrement=True,
)
"""Rows never change: another purpose, class or operator is another family."""
ROUTE = Table(
    "route",
    ROLLUPS,
    Column("id", Integer, primary_key=True),
    Column("template", Text, nullable=False, unique=True),
    sqlite_autoincrement=True,
)
OPERATOR = Table(
    "operator",
    ROLLUPS,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    sqlite_autoincrement=True,
)
MATERIAL = Table(
    "material",
    ROLLUPS,
    Column("id", Integer, primary_key=True),
    Column("canonical_path", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("published_at", Integer),
    *(Column(name, Boolean, nullable=False) for name in ("html", "markdown", "json", "current")),
    sqlite_autoincrement=True,
)
