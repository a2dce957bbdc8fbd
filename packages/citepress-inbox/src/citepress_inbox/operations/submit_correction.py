"""submit_correction: an error in a record with evidence, queued for review."""

from citepress_inbox.operations.submission import submission_operation
from citepress_inbox.submissions import CorrectionSubmission

OPERATION = submission_operation(
    name="submit_correction",
    title="Report an error",
    description=(
        "Report an error in a record with evidence. Queued for weekly human review; nothing is edited. Give"
        " the claim as published, the correction, and https URLs that show it. A repeat within 24 hours returns the"
        " earlier one."
    ),
    ask=CorrectionSubmission,
    path="/agent-inbox/correction",
    example={
        "related_record": "posts/some-slug",
        "claim": "The limit is ten.",
        "correction": "The limit is twelve since the last release.",
        "evidence_urls": ["https://example.org/release-notes"],
        "agent": {"name": "Example agent"},
    },
)
