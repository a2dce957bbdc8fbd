"""What the three submissions share: the record they name, the queue they stand in, the quota they count against."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from citepress.base.canonical import json_bytes
from citepress.base.timestamps import rfc3339
from citepress.contract.dates import dates_of
from citepress.contract.operation import Refusal
from citepress.contract.store import StoreUnavailable
from citepress.inbox.ports import SubmissionQuotaExceeded, SubmissionReceipt
from citepress.inbox.status import StatusDocument, document
from citepress.inbox.submissions import BODY_BYTES, Submission, named, plain_members, prepare
from citepress.operations.context import Inbox, OperationContext
from citepress.operations.records import look_up

Run = Callable[[Submission, OperationContext, str], Awaitable[StatusDocument]]
HOUR, MINUTE = 3600, 60
SKEW = timedelta(minutes=5)
"""How far the clock of a client may be ahead of ours."""


async def submit(ask: Submission, world: OperationContext, caller: str) -> StatusDocument:
    """Queue a submission for the weekly review, or give the status of the earlier one that it repeats.

    ``caller`` is the client's key. Raises ``Refusal``: invalid_argument (an unknown record, a date that lies ahead), over_quota, unavailable.
    """
    inbox = _open(world)
    record = _record(ask, world)
    if len(json_bytes(plain_members(ask))) > BODY_BYTES:
        raise Refusal("invalid_argument", f"The submission is over {BODY_BYTES:,} bytes as JSON; shorten its texts.")
    moment = world.now()
    _happened(ask, moment)
    try:
        receipt: SubmissionReceipt = await asyncio.to_thread(inbox.store.submit, prepare(ask, record), caller, inbox.limit, moment)
    except SubmissionQuotaExceeded as full:
        raise _over_quota(inbox, full) from None
    except StoreUnavailable as away:
        raise Refusal("unavailable", "The inbox cannot be reached; try again in a minute. Nothing was queued.", retry_after=away.retry_after) from away  # fmt: skip
    return document(receipt.stored, moment, world.url, repeated=receipt.repeated, quota=receipt.spent)


def _open(world: OperationContext) -> Inbox:
    if world.inbox is None:
        raise Refusal("unavailable", "This archive takes no submissions.")
    return world.inbox


def _record(ask: Submission, world: OperationContext) -> str:
    """The id of the record that a submission names; empty where it names none."""
    name = named(ask, world.base_url)
    if name is None:
        return ""
    member, id_ = name
    try:
        return str(look_up(world, id_).record["id"])
    except Refusal as refusal:
        raise Refusal("invalid_argument", refusal.message, refusal.near, member=member) from None


def _happened(ask: Submission, moment: datetime) -> None:
    """Refuse a date of what has happened that lies ahead."""
    for location, date in dates_of(ask):
        if date > moment + SKEW:
            member = str(location[0])
            raise Refusal("invalid_argument", f"{member} lies ahead of now, {rfc3339(moment)}; days are UTC.", member=member)


def _over_quota(inbox: Inbox, full: SubmissionQuotaExceeded) -> Refusal:
    wait = full.spent.reset
    when = f"{-(-wait // HOUR)} hours" if wait > HOUR else f"{-(-wait // MINUTE)} minutes"
    hours = inbox.limit.window // HOUR
    return Refusal(
        "over_quota",
        f"{inbox.limit.quota} submissions in {hours} hours came from this client; the next is possible in {when}.",
        retry_after=wait,
    )
