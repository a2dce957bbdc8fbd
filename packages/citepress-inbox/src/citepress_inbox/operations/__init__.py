"""The operations of the inbox."""

from citepress_inbox.operations import get_submission_status, submit_correction, submit_source, submit_usage_receipt

ALL = (
    get_submission_status.OPERATION,
    submit_source.OPERATION,
    submit_correction.OPERATION,
    submit_usage_receipt.OPERATION,
)
