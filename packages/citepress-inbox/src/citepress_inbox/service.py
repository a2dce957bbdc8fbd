"""What the inbox gives to a running service: a place in its operations, and credits after a publication."""

from collections.abc import Mapping
from datetime import datetime

from citepress.app.binding import ProcessStart
from citepress.archive.model import Archive
from citepress.contract.settings_table import settings_of
from citepress.contract.submissions import SubmissionOffer
from citepress.settings import Settings
from citepress.stores.sql.database import Database
from citepress_inbox.accept import credit_published
from citepress_inbox.limits import limit
from citepress_inbox.ports import Inbox
from citepress_inbox.settings import InboxLimits
from citepress_inbox.sql_inbox import SqlInbox


def services_of(inbox: Inbox) -> Mapping[type, object]:
    """What operations ask the context for."""
    offer = SubmissionOffer(
        inbox.limit,
        "submit_correction (POST /agent-inbox/correction)",
        "submit_source (POST /agent-inbox/source); a person reviews proposals weekly",
    )
    return {Inbox: inbox, SubmissionOffer: offer}


def inbox_services(start: ProcessStart) -> Mapping[type, object]:
    """The inbox of a process."""
    quota = settings_of(start.config.publication, InboxLimits).inbox
    return services_of(Inbox(SqlInbox(start.database), limit(quota)))


def credit(_settings: Settings, database: Database, archive: Archive, moment: datetime) -> None:
    """Record published credits. Raises ``StoreUnavailable``."""
    credit_published(SqlInbox(database), archive, moment)


SERVICES = (inbox_services,)
PUBLISHED = (credit,)
