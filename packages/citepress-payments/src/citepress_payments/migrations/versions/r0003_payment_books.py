"""Payments: value and cost of a sale, finality of its transfer, temporary pauses, and the size of unpaid quotes."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

UNPAID = sa.text("paid_by IS NULL")
AWAITED = sa.text("finality = 'awaited'")


def upgrade() -> None:
    """Add columns; existing payments count as final, and their value is read from their quotes."""
    op.add_column("quotes", sa.Column("size", sa.BigInteger, nullable=False, server_default="0"))
    op.create_index(
        "quotes_unpaid", "quotes", ["lane", "expires_at", "size"], sqlite_where=UNPAID, postgresql_where=UNPAID
    )
    op.add_column("payments", sa.Column("tx", sa.String(100), nullable=False, server_default=""))
    op.add_column("payments", sa.Column("usd_micros", sa.BigInteger, nullable=False, server_default="0"))
    op.add_column("payments", sa.Column("fee", sa.Text, nullable=False, server_default="0"))
    op.add_column("payments", sa.Column("finality", sa.String(8), nullable=False, server_default=""))
    op.create_index("payments_by_rail", "payments", ["rail", "state", "updated_at"])
    op.create_index("payments_by_finality", "payments", ["lease_until"], sqlite_where=AWAITED, postgresql_where=AWAITED)
    op.add_column("pauses", sa.Column("until", sa.BigInteger, nullable=False, server_default="0"))
    op.execute(
        "UPDATE payments SET usd_micros = COALESCE((SELECT usd_micros FROM quotes WHERE quotes.id ="
        " payments.quote_id), 0)"
    )
