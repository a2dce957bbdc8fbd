"""One small world for all tests that only read."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from citepress.operations import ALL, OperationContext
from support.acting import small
from support.world import world as made

OPERATIONS = {one.name: one for one in ALL}


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> OperationContext:
    path = tmp_path_factory.mktemp("world")
    return made(small(path / "content"), path / "state")


@pytest.fixture
def call(world: OperationContext) -> Callable[..., Any]:
    """Call an operation by name, with arguments as a door reads them."""

    def called(name: str, *, at: OperationContext = world, caller: str = "", **arguments: Any) -> Any:
        operation = OPERATIONS[name]
        ask = operation.ask.model_validate(arguments)
        answer = operation.run(ask, at, caller) if caller else operation.run(ask, at)
        return asyncio.run(answer) if inspect.isawaitable(answer) else answer

    return called
