"""What the three submissions share: the record they name, the queue they join, the quota they count against."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import PydanticCustomError

from citepress.base.canonical import json_bytes
from citepress.base.timestamps import HOUR_S, MINUTE_S
from citepress.contract.document import Section
from citepress.contract.json_body import OWN_ERROR
from citepress.contract.operation import Effect, Operation, Post, Refusal, Tool
from citepress.contract.store import StoreUnavailable
from citepress.operations.context import OperationContext
from citepress.operations.records import look_up
from citepress_inbox.guide import quota, rules
from citepress_inbox.limits import MAX_SUBMISSION_BYTES
from citepress_inbox.ports import Inbox, SubmissionQuotaExceeded, SubmissionReceipt
from citepress_inbox.status import StatusDocument, document
from citepress_inbox.submissions import Submission, SubmissionContext, named_record, plain_members, prepare, record_id


async def submit(ask: Submission, context: OperationContext, caller: str) -> StatusDocument:
    """Queue a submission for the weekly review, or give the status of the earlier one that it repeats.

    ``caller`` is the client's key. Raises ``Refusal``: invalid_argument, over_quota, unavailable.
    """
    inbox = _open(context)
    record = _record(ask, context)
    if len(json_bytes(plain_members(ask))) > MAX_SUBMISSION_BYTES:
        raise Refusal(
            "invalid_argument", f"The submission is over {MAX_SUBMISSION_BYTES:,} bytes as JSON; shorten its texts."
        )
    moment = context.now()
    try:
        receipt: SubmissionReceipt = await asyncio.to_thread(
            inbox.store.submit, prepare(ask, record), caller, inbox.limit, moment
        )
    except SubmissionQuotaExceeded as full:
        raise _over_quota(inbox, full) from None
    except StoreUnavailable as away:
        raise Refusal(
            "unavailable",
            "The inbox cannot be reached; try again in a minute. Nothing was queued.",
            retry_after=away.retry_after,
        ) from away
    return document(receipt.stored, moment, context.url, repeated=receipt.repeated, quota=receipt.spent)


def _open(context: OperationContext) -> Inbox:
    if Inbox not in context.services:
        raise Refusal("unavailable", "This archive takes no submissions.")
    return context.service(Inbox)


def _record(ask: Submission, context: OperationContext) -> str:
    """The id of the record that a submission names; empty where it names none."""
    name = named_record(ask, context.base_url)
    if name is None:
        return ""
    member, id_ = name
    try:
        return str(look_up(context, id_).record["id"])
    except Refusal as refusal:
        raise Refusal("invalid_argument", refusal.message, refusal.near, member=member) from None


def validation_context(context: OperationContext) -> SubmissionContext:
    """The archive's facts that the validators of a submission need."""

    def check_record(name: str) -> None:
        try:
            look_up(context, record_id(name, context.base_url))
        except Refusal as refusal:
            nearest = f" Nearest: {', '.join(refusal.near)}." if refusal.near else ""
            details = {"sentence": refusal.message + nearest, "nearest": refusal.near}
            raise PydanticCustomError(OWN_ERROR, "{sentence}", details) from None

    return SubmissionContext(check_record, context.now())


def submission_operation(
    name: str,
    title: str,
    description: str,
    ask: type[Submission],
    path: str,
    example: Mapping[str, Any],
    reports: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
) -> Operation:
    """The operation by which one sort of submission is handed in, as a tool and as ``POST path``."""
    return Operation(
        name=name,
        title=title,
        description=description,
        ask=ask,
        answer=StatusDocument,
        run=submit,
        context=validation_context,
        section=Section.ACTIONS,
        rest=Post(path, MAX_SUBMISSION_BYTES, area="inbox"),
        effect=Effect.SUBMIT,
        quota=quota,
        rules=rules,
        tool=Tool(),
        example=example,
        reports=reports,
    )


def _over_quota(inbox: Inbox, full: SubmissionQuotaExceeded) -> Refusal:
    wait = full.spent.reset
    when = f"{-(-wait // HOUR_S)} hours" if wait > HOUR_S else f"{-(-wait // MINUTE_S)} minutes"
    hours = inbox.limit.window // HOUR_S
    return Refusal(
        "over_quota",
        f"{inbox.limit.quota} submissions in {hours} hours came from this client; the next is possible in {when}.",
        retry_after=wait,
    )
