"""A step that the history of payments now has: databases that made it here stay known."""

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Change nothing."""
