"""The mark of a state folder that is being restored: until it is whole, nothing may go on from it."""

from pathlib import Path

from citepress.base.errors import CitepressError

MARK_FILE = "restore.unfinished"


class UnfinishedRestoreError(CitepressError):
    """A restore into this state was interrupted."""


def refuse_unfinished(state: Path) -> None:
    """Raise ``UnfinishedRestoreError`` where a restore into the state folder has not ended."""
    if (state / MARK_FILE).exists():
        raise UnfinishedRestoreError(
            f"{state} was not restored to its end: empty it (and the database), and run citepress restore again"
        )
