"""get_submission_status: where a submission stands."""

import asyncio
import re
from typing import Annotated

from pydantic import Field

from citepress.base.text import bounded
from citepress.contract.cache import Cache
from citepress.contract.document import Parameter, Section
from citepress.contract.model import Model
from citepress.contract.operation import Get, Operation, Refusal, Tool
from citepress.contract.store import StoreUnavailable
from citepress.operations.context import OperationContext
from citepress_inbox.ports import Inbox
from citepress_inbox.status import STATUS_PATH, StatusDocument, document
from citepress_inbox.submissions import ID_PATTERN

EXAMPLE = "aaaabbbbccccddddeeeeffffgggghhhh"


class StatusAsk(Model):
    """Which submission."""

    id: Annotated[str, Field(min_length=8, max_length=64)]
    """The id that the submission was answered with."""


async def run(ask: StatusAsk, context: OperationContext) -> StatusDocument:
    """Read the status document (specification, "States and transitions").

    Raises ``Refusal``: not_found, unavailable.
    """
    moment = context.now()
    if Inbox not in context.services or not re.fullmatch(ID_PATTERN, ask.id):
        raise _unknown(ask.id)
    try:
        stored = await asyncio.to_thread(context.service(Inbox).store.find, ask.id)
    except StoreUnavailable as away:
        raise Refusal(
            "unavailable", "The inbox cannot be reached; try again in a minute.", retry_after=away.retry_after
        ) from away
    if stored is None:
        raise _unknown(ask.id)
    return document(stored, moment, context.url)


def _unknown(id_: str) -> Refusal:
    return Refusal(
        "not_found", f'There is no submission "{bounded(id_, 64)}"; a submission is answered with its id.', member="id"
    )


OPERATION = Operation(
    name="get_submission_status",
    before="list_paid_tools",
    title="Status of a submission",
    description=(
        "Look up one of your submissions by the id a submit tool returned: queued, in_review, accepted, credited,"
        " declined or duplicate, with the next review date and the record that credits it."
    ),
    ask=StatusAsk,
    answer=StatusDocument,
    run=run,
    section=Section.ACTIONS,
    rest=Get(
        STATUS_PATH,
        (Parameter("id", "The id that a submission was answered with.", ID_PATTERN, EXAMPLE),),
        cache=Cache.NO_STORE,
        about=(
            "The status of a submission: queued, in_review, accepted, credited, declined or duplicate, with the next"
            " review date."
        ),
    ),
    tool=Tool(),
    example={"id": EXAMPLE},
)
