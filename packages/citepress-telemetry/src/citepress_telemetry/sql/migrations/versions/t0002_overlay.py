"""Telemetry: rendered reports, for nodes that share the database."""

import sqlalchemy as sa
from alembic import op

revision = "t0002"
down_revision = "t0001"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "overlay",
        sa.Column("generation", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("as_of", sa.BigInteger, nullable=False),
        sa.Column("pack", sa.LargeBinary, nullable=False),
    )
