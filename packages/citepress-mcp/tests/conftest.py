"""One world for the tests of the room, and a way to ask its endpoint without a wire."""

from pathlib import Path

import pytest

from citepress.operations import OperationContext
from citepress_mcp.endpoint import Endpoint
from support.mcp_endpoint import EndpointClient, offer, operation_context, printed


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory) -> OperationContext:
    state: Path = tmp_path_factory.mktemp("mcp-world")
    printed(state)
    return operation_context(state)


@pytest.fixture(scope="session")
def asker(here: OperationContext) -> EndpointClient:
    return EndpointClient(Endpoint(offer(), lambda: here))
