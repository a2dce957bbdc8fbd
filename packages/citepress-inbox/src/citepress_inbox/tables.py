"""The tables of the inbox; times are whole seconds since 1970, UTC."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, LargeBinary, MetaData, String, Table, Text

from citepress.stores.sql.tables import SERIAL

METADATA = MetaData()

SUBMISSIONS = Table(
    "submissions",
    METADATA,
    Column("number", SERIAL, primary_key=True, autoincrement=True),
    Column("id", String(64), nullable=False, unique=True),
    Column("kind", String(20), nullable=False),
    Column("status", String(12), nullable=False),
    Column("record", String(300), nullable=False),
    Column("body", Text, nullable=False),
    Column("submitted_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("credited_in", Text),
    Column("reason_code", String(40)),
    Column("duplicate_of", String(64)),
    Index("submissions_by_status", "status", "number"),
)
"""Submissions and their status."""

EVENTS = Table(
    "events",
    METADATA,
    Column("number", SERIAL, primary_key=True, autoincrement=True),
    Column("submission", String(64), ForeignKey("submissions.id"), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("by", Text, nullable=False),
    Column("came_from", String(12)),
    Column("to", String(12)),
    Column("note", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Index("events_by_submission", "submission", "number"),
)
"""Every step of every submission; triggers refuse to change or delete one."""

REPEATS = Table(
    "repeats",
    METADATA,
    Column("key", LargeBinary(32), primary_key=True),
    Column("submission", String(64), ForeignKey("submissions.id"), nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("repeats_by_time", "at"),
)
"""The submissions of the last day, by the key that a repeat would share."""

SPENDING = Table(
    "spending",
    METADATA,
    Column("number", SERIAL, primary_key=True, autoincrement=True),
    Column("client", LargeBinary(16), nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("spending_by_client", "client", "at"),
    Index("spending_by_time", "at"),
)
"""One row for each submission of the last day, by keyed hash of the client's address; without the submission."""
