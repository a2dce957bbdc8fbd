"""The inbox: submissions, their events, repeats and spending."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")
CHANGES = ("UPDATE", "DELETE")


def upgrade() -> None:
    """Create the tables; triggers make the events append-only."""
    _submissions()
    _events()
    _days()
    if op.get_bind().dialect.name == "postgresql":
        _append_only_in_postgresql()
    else:
        _append_only_in_sqlite()


def _submissions() -> None:
    op.create_table(
        "submissions",
        sa.Column("number", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(64), nullable=False, unique=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("record", sa.String(300), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("submitted_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
        sa.Column("credited_in", sa.Text),
        sa.Column("reason_code", sa.String(40)),
        sa.Column("duplicate_of", sa.String(64)),
    )
    op.create_index("submissions_by_status", "submissions", ["status", "number"])


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("number", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("submission", sa.String(64), sa.ForeignKey("submissions.id"), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("came_from", sa.String(12)),
        sa.Column("to", sa.String(12)),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("detail", sa.Text, nullable=False),
    )
    op.create_index("events_by_submission", "events", ["submission", "number"])


def _days() -> None:
    op.create_table(
        "repeats",
        sa.Column("key", sa.LargeBinary(32), primary_key=True),
        sa.Column("submission", sa.String(64), sa.ForeignKey("submissions.id"), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("repeats_by_time", "repeats", ["at"])
    op.create_table(
        "spending",
        sa.Column("number", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("client", sa.LargeBinary(16), nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index("spending_by_client", "spending", ["client", "at"])
    op.create_index("spending_by_time", "spending", ["at"])


def _append_only_in_postgresql() -> None:
    op.execute(
        "CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON events "
        "FOR EACH STATEMENT EXECUTE FUNCTION citepress_append_only()"
    )


def _append_only_in_sqlite() -> None:
    for change in CHANGES:
        op.execute(
            f"CREATE TRIGGER events_no_{change.lower()} BEFORE {change} ON events "
            "BEGIN SELECT RAISE(ABORT, 'events are only ever added'); END"
        )
