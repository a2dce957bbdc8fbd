"""submit_correction: an error in a record with evidence, queued for review."""

from citepress.contract.document import Section
from citepress.contract.operation import Effect, Operation, Post, Tool
from citepress_inbox.guide import quota, rules
from citepress_inbox.operations.submission import submit, validation_context
from citepress_inbox.status import StatusDocument
from citepress_inbox.submissions import BODY_BYTES, CorrectionSubmission

OPERATION = Operation(
    name="submit_correction",
    title="Report an error",
    description=(
        "Report an error in a record with evidence. Queued for weekly human review; nothing is edited. Give"
        " the claim as published, the correction, and https URLs that show it. A repeat within 24 hours returns the"
        " earlier one."
    ),
    ask=CorrectionSubmission,
    answer=StatusDocument,
    run=submit,
    context=validation_context,
    section=Section.ACTIONS,
    rest=Post("/agent-inbox/correction", BODY_BYTES, area="inbox"),
    effect=Effect.SUBMIT,
    quota=quota,
    rules=rules,
    tool=Tool(),
    example={
        "related_record": "posts/some-slug",
        "claim": "The limit is ten.",
        "correction": "The limit is twelve since the last release.",
        "evidence_urls": ["https://example.org/release-notes"],
        "agent": {"name": "Example agent"},
    },
)
