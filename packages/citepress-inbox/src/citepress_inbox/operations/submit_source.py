"""submit_source: a source that a record should cite, queued for review."""

from citepress_inbox.operations.submission import submission_operation
from citepress_inbox.submissions import SourceSubmission

OPERATION = submission_operation(
    name="submit_source",
    title="Propose a source",
    description=(
        "Propose a source for a record. It is queued for weekly human review; nothing is published directly. A repeat"
        " within 24 hours returns the earlier submission. Keep the id for get_submission_status."
    ),
    ask=SourceSubmission,
    path="/agent-inbox/source",
    example={
        "url": "https://example.org/report",
        "reason": "It measures what the record only estimates.",
        "agent": {"name": "Example agent"},
    },
)
