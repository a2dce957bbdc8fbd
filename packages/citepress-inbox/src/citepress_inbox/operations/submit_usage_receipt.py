"""submit_usage_receipt: how a record was used, queued for review."""

from citepress_inbox.operations.submission import submission_operation
from citepress_inbox.submissions import UsageReceipt

OPERATION = submission_operation(
    name="submit_usage_receipt",
    title="Report how a record was used",
    description=(
        "Report that you used a record, why and with what outcome. Queued for review; the record credits it. Send no"
        " personal data. A repeat within 24 hours returns the earlier one."
    ),
    ask=UsageReceipt,
    path="/agent-inbox/usage-receipt",
    example={
        "related_record": "posts/some-slug",
        "use": "Cited in an answer on caching.",
        "agent": {"name": "Example agent"},
    },
)
