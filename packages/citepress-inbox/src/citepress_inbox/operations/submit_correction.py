"""submit_correction: an error in a record with evidence, queued for review."""

from collections.abc import Mapping
from typing import Any

from citepress_inbox.operations.submission import submission_operation
from citepress_inbox.submissions import CorrectionSubmission

EXAMPLE = {
    "related_record": "posts/some-slug",
    "claim": "The limit is ten.",
    "correction": "The limit is twelve since the last release.",
    "evidence_urls": ["https://example.org/release-notes"],
    "agent": {"name": "Example agent"},
}


def _report(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first statement of a record to be corrected, for a reader to replace: as it stands it is refused."""
    claims = record.get("claims")
    return {
        "related_record": record["id"],
        "claim": claims[0]["text"] if claims else record["summary"],
        "correction": "…",
        "evidence_urls": ["https://…"],
        "agent": {"name": "Your name, for the credit"},
    }


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
    example=EXAMPLE,
    reports=_report,
)
