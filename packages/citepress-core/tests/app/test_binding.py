"""What extensions add to a worker is joined, none of it lost."""

from typing import Any

import pytest

from citepress.app.binding import WorkerParts, worker_parts
from support.fake_extensions import give

START: Any = None


def test_two_functions_of_one_extension_both_add_to_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    async def task() -> None:
        """Do nothing."""

    parts = (WorkerParts({"/one": None}, (task,)), WorkerParts({"/two": None}, (task,)))  # type: ignore[dict-item]
    give(monkeypatch, ("acme", {"workers": tuple(lambda _start, part=part: part for part in parts)}))
    joined = worker_parts(START, {})

    assert (joined.actions.keys(), joined.tasks) == ({"/one", "/two"}, [task, task])
