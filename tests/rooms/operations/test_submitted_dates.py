"""What a submission says of the past lies in the past."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from citepress.contract.operation import Refusal
from citepress.operations import OperationContext

Call = Callable[..., Any]
RECEIPT = {"related_record": "posts/caching", "use": "Cited in an answer."}


def test_a_use_that_lies_ahead_is_refused(call: Call) -> None:
    with pytest.raises(Refusal, match="used_at lies ahead of now") as caught:
        call("submit_usage_receipt", caller="203.0.113.9", used_at="2099-01-01", **RECEIPT)
    assert (caught.value.code, caught.value.member) == ("invalid_argument", "used_at")


def test_a_use_of_this_minute_is_taken(call: Call, world: OperationContext) -> None:
    at = (world.now() + timedelta(minutes=1)).isoformat()
    assert call("submit_usage_receipt", caller="203.0.113.9", used_at=at, **RECEIPT).status == "queued"
