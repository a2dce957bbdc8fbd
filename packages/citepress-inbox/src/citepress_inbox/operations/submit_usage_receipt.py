"""submit_usage_receipt: how a record was used, queued for review."""

from citepress.contract.document import Section
from citepress.contract.operation import Effect, Operation, Post, Tool
from citepress_inbox.guide import quota, rules
from citepress_inbox.operations.submission import submit, validation_context
from citepress_inbox.status import StatusDocument
from citepress_inbox.submissions import BODY_BYTES, UsageReceipt

OPERATION = Operation(
    name="submit_usage_receipt",
    title="Report how a record was used",
    description=(
        "Report that you used a record, why and with what outcome. Queued for review; the record credits it. Send no"
        " personal data. A repeat within 24 hours returns the earlier one."
    ),
    ask=UsageReceipt,
    answer=StatusDocument,
    run=submit,
    context=validation_context,
    section=Section.ACTIONS,
    rest=Post("/agent-inbox/usage-receipt", BODY_BYTES, area="inbox"),
    effect=Effect.SUBMIT,
    quota=quota,
    rules=rules,
    tool=Tool(),
    example={
        "related_record": "posts/some-slug",
        "use": "Cited in an answer on caching.",
        "agent": {"name": "Example agent"},
    },
)
