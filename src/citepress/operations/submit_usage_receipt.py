"""submit_usage_receipt: how a record was used, queued for review."""

from citepress.contract.document import Section
from citepress.contract.operation import Effect, Operation, Post, Tool
from citepress.inbox.status import StatusDocument
from citepress.inbox.submissions import BODY_BYTES, UsageReceipt
from citepress.operations.submission import submit

OPERATION = Operation(
    name="submit_usage_receipt",
    title="Tell how a record was used",
    description=(
        "Tell the archive that you used a record, for what and with what outcome. Queued for review; the record credits it. Send no "
        "personal data. A repeat within 24 hours returns the earlier submission."
    ),
    ask=UsageReceipt,
    answer=StatusDocument,
    run=submit,
    section=Section.ACTIONS,
    rest=Post("/agent-inbox/usage-receipt", BODY_BYTES),
    effect=Effect.SUBMIT,
    tool=Tool(),
    example={"related_record": "posts/some-slug", "use": "Cited in an answer on caching.", "agent": {"name": "Example agent"}},
)
