"""A step that the history of payments now has: databases that made it here stay known."""

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Change nothing."""
