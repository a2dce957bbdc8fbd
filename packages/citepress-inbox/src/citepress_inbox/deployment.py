"""Opens the inbox of a deployment for the review commands."""

from collections.abc import Iterator
from contextlib import contextmanager

from citepress.settings import Settings
from citepress.stores.sql.migrate import open_existing_store
from citepress_inbox.ports import InboxStore
from citepress_inbox.sql_inbox import SqlInbox


@contextmanager
def existing_inbox(settings: Settings) -> Iterator[InboxStore]:
    """The inbox of the state store that a server has made, closed at the end.

    Raises ``DatabaseError`` and ``StoreUnavailable``.
    """
    database = open_existing_store(settings.state, settings.database_url)
    try:
        yield SqlInbox(database)
    finally:
        database.close()
