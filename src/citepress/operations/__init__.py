"""What can be done with the archive: each operation once, for REST and for MCP alike."""

from collections.abc import Iterable

from citepress.contract.operation import Effect, Operation
from citepress.operations import (  # fmt: skip
    contextualize_url,
    get_forecasts,
    get_latest_metadox,
    get_record,
    get_submission_status,
    get_topic_brief,
    list_agent_tasks,
    list_paid_tools,
    search_archive,
    submit_correction,
    submit_source,
    submit_usage_receipt,
    what_changed,
    whats_new,
)
from citepress.operations.context import ContextProvider, Inbox, OperationContext

ALL: tuple[Operation, ...] = (
    search_archive.OPERATION,
    get_record.OPERATION,
    contextualize_url.OPERATION,
    whats_new.OPERATION,
    what_changed.OPERATION,
    get_forecasts.OPERATION,
    list_agent_tasks.OPERATION,
    get_latest_metadox.OPERATION,
    get_topic_brief.OPERATION,
    get_submission_status.OPERATION,
    list_paid_tools.OPERATION,
    submit_source.OPERATION,
    submit_correction.OPERATION,
    submit_usage_receipt.OPERATION,
)

__all__ = ["ALL", "ContextProvider", "Inbox", "OperationContext", "offered"]


def offered(operations: Iterable[Operation], *, inbox: bool) -> tuple[Operation, ...]:
    """Those of the operations that stand: without an inbox nothing is submitted."""
    return tuple(one for one in operations if inbox or one.effect is not Effect.SUBMIT)
