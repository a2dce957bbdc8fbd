"""Payments: why a network fee is unknown."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

NOT_RECORDED = "it was not recorded: an earlier version wrote 0 for Solana"


def upgrade() -> None:
    """Add the column, and mark the Solana payments that we sent ourselves, whose fee was always written as 0."""
    op.add_column("payments", sa.Column("fee_reason", sa.Text, nullable=False, server_default=""))
    op.execute(
        sa.text(
            "UPDATE payments SET fee = '', fee_reason = :reason"
            " WHERE rail LIKE 'solana-%' AND state IN ('settled', 'failed') AND EXISTS"
            " (SELECT 1 FROM broadcasts WHERE broadcasts.key = payments.key AND length(broadcasts.raw) > 0)"
        ).bindparams(reason=NOT_RECORDED)
    )
