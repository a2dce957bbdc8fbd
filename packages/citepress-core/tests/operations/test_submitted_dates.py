"""What a submission says of the past lies in the past."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from citepress.contract.json_body import InvalidArgumentsError
from citepress.operations import OperationContext

Call = Callable[..., Any]
RECEIPT = {"related_record": "posts/caching", "use": "Cited in an answer."}


def test_a_use_that_lies_ahead_is_refused(call: Call) -> None:
    with pytest.raises(InvalidArgumentsError, match="used_at is in the future") as caught:
        call("submit_usage_receipt", caller="203.0.113.9", used_at="2099-01-01", **RECEIPT)
    assert [fault.pointer for fault in caught.value.faults] == ["/used_at"]


def test_a_use_of_this_minute_is_taken(call: Call, context: OperationContext) -> None:
    at = (context.now() + timedelta(minutes=1)).isoformat()
    assert call("submit_usage_receipt", caller="203.0.113.9", used_at=at, **RECEIPT).status == "queued"
