"""submit_source: a source that a record should cite, queued for review."""

from citepress.contract.document import Section
from citepress.contract.operation import Effect, Operation, Post, Tool
from citepress_inbox.guide import quota, rules
from citepress_inbox.operations.submission import submit, validation_context
from citepress_inbox.status import StatusDocument
from citepress_inbox.submissions import BODY_BYTES, SourceSubmission

OPERATION = Operation(
    name="submit_source",
    title="Propose a source",
    description=(
        "Propose a source for a record. It is queued for weekly human review; nothing is published directly. A repeat"
        " within 24 hours returns the earlier submission. Keep the id for get_submission_status."
    ),
    ask=SourceSubmission,
    answer=StatusDocument,
    run=submit,
    context=validation_context,
    section=Section.ACTIONS,
    rest=Post("/agent-inbox/source", BODY_BYTES, area="inbox"),
    effect=Effect.SUBMIT,
    quota=quota,
    rules=rules,
    tool=Tool(),
    example={
        "url": "https://example.org/report",
        "reason": "It measures what the record only estimates.",
        "agent": {"name": "Example agent"},
    },
)
