"""What extensions add to a worker is joined, none of it lost."""

import pytest

from citepress.app import binding
from citepress.app.binding import WorkerParts


def test_two_functions_of_one_module_both_add_to_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    async def task() -> None:
        """Do nothing."""

    parts = (WorkerParts({"/one": None}, (task,)), WorkerParts({"/two": None}, (task,)))  # type: ignore[dict-item]
    monkeypatch.setattr(binding, "hooks", lambda _point: tuple(lambda _start, part=part: part for part in parts))
    joined = binding.worker_parts(None)  # type: ignore[arg-type]

    assert (joined.actions.keys(), joined.tasks) == ({"/one", "/two"}, (task, task))
