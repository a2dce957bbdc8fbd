"""One small world for all tests that only read."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from citepress.contract.json_body import read_body
from citepress.operations import OperationContext
from citepress.operations.registry import ALL
from support.operation_context import operation_context
from support.server_with_actions import small

OPERATIONS = {operation.name: operation for operation in ALL}


@pytest.fixture(scope="session")
def context(tmp_path_factory: pytest.TempPathFactory) -> OperationContext:
    path = tmp_path_factory.mktemp("world")
    return operation_context(small(path / "content"), path / "state")


@pytest.fixture
def call(context: OperationContext) -> Callable[..., Any]:
    """Call an operation by name, with arguments as a door reads them."""

    def called(name: str, *, at: OperationContext = context, caller: str = "", **arguments: Any) -> Any:
        operation = OPERATIONS[name]
        if operation.context:
            ask = read_body(operation.ask, arguments, operation.context(at))
        else:
            ask = operation.ask.model_validate(arguments)
        answer = operation.run(ask, at, caller) if caller else operation.run(ask, at)
        return asyncio.run(answer) if inspect.isawaitable(answer) else answer

    return called
