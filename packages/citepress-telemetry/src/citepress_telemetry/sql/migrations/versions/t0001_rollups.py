"""Telemetry: names, rollups of hours and days, readership, the cursor of closed hours, open state, import cursors."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "t0001"
down_revision = None

Type = type[sa.types.TypeEngine[Any]]
PERIODS = (("hour", "h"), ("day", "d"))


def upgrade() -> None:
    """Make the tables."""
    for period, time in PERIODS:
        _traffic(period, time)
        _families(period, time)
        _counters(period, time)
    _readership()
    _cursors()
    _open()
    _names()


def _traffic(period: str, time: str) -> None:
    places = [_key(name, sa.SmallInteger) for name in ("rep", "status", "verify")]
    keys = [_key(time), _key("class", sa.SmallInteger), _key("purpose", sa.Text), *places]
    _table(f"traffic_{period}", *keys, *map(_value, ("n", "ok", "n304", "bytes")))


def _families(period: str, time: str) -> None:
    sums = ("n", "ok", "bytes", "sessions", "cut", "robots_only", "bursts", "depth_sum", "depth_max")
    packed = [_value(name, sa.LargeBinary) for name in ("counters", "materials")]
    _table(f"family_{period}", _key(time), _key("family"), *map(_value, sums), *packed, wide=True)
    steps = [_value(name, sa.LargeBinary) for name in ("steps", "edges")]
    _table(f"path_{period}", _key(time), _key("family"), *steps, wide=True)


def _counters(period: str, time: str) -> None:
    _table(f"probe_{period}", _key(time), _key("category", sa.Text), _value("n"))
    _table(f"referral_{period}", _key(time), _key("operator"), _value("n"))
    _table(f"gateway_{period}", _key(time), *(_key(name, sa.Text) for name in ("area", "name", "outcome")), _value("n"))


def _readership() -> None:
    _table("read_hour", _key("h"), *_read(), _value("n"), _value("n304"))
    _table(
        "read_total", *_read(), _value("n"), _value("n304"), _value("first_h", sa.Integer), _value("last_h", sa.Integer)
    )
    pair = [_key(name) for name in ("d", "family", "from_material", "to_material")]
    _table("pair_day", *pair, _value("n"), _value("undercount"))


def _read() -> list[sa.Column[Any]]:
    return [_key("material"), _key("family"), _key("rep", sa.SmallInteger), _key("verify", sa.SmallInteger)]


def _cursors() -> None:
    numbers = [
        _value("rows"),
        _value("last_row"),
        _value("observed_seconds", sa.Integer),
        _value("imported", sa.Boolean),
    ]
    _table("hour_closed", _key("h"), *numbers, _value("classifier", sa.Text), _value("counts", sa.Text))
    places = [_value(name) for name in ("position", "first_uncounted", "last_hour")]
    head = [_key("head", sa.LargeBinary), _value("head_size", sa.Integer), _value("digest", sa.LargeBinary)]
    _table("import_cursor", *head, *places)


def _open() -> None:
    routes = [_value(name, sa.Integer) for name in ("first", "prev", "prev_material")]
    ends = [_value("robots_only", sa.Boolean), _value("prev_miss"), _value("read", sa.Integer)]
    _table(
        "session_open",
        _key("family"),
        _key("net", sa.BigInteger),
        _value("last"),
        _value("depth", sa.Integer),
        *routes,
        *ends,
    )
    _table("burst_open", _key("family"), _value("last"))
    _table("pair_open", _key("family"), _value("subtracted"), _value("slots", sa.LargeBinary))


def _names() -> None:
    texts = ("name", "operator", "purpose", "class", "operation", "disputed")
    once = sa.UniqueConstraint(*texts, "named", name="family_once")
    _named("family", *(_value(name, sa.Text) for name in texts), _value("named", sa.Boolean), once)
    _named("route", sa.Column("template", sa.Text, nullable=False, unique=True))
    _named("operator", sa.Column("name", sa.Text, nullable=False, unique=True))
    forms = [_value(name, sa.Boolean) for name in ("html", "markdown", "json", "current")]
    path = sa.Column("canonical_path", sa.Text, nullable=False, unique=True)
    _named("material", path, _value("kind", sa.Text), sa.Column("published_at", sa.Integer), *forms)


def _key(name: str, type_: Type = sa.Integer) -> sa.Column[Any]:
    return sa.Column(name, type_, primary_key=True, autoincrement=False)


def _value(name: str, type_: Type = sa.BigInteger) -> sa.Column[Any]:
    return sa.Column(name, type_, nullable=False)


def _table(name: str, *columns: sa.Column[Any], wide: bool = False) -> None:
    op.create_table(name, *columns, sqlite_with_rowid=wide)


def _named(name: str, *parts: sa.Column[Any] | sa.UniqueConstraint) -> None:
    op.create_table(name, sa.Column("id", sa.Integer, primary_key=True), *parts, sqlite_autoincrement=True)
