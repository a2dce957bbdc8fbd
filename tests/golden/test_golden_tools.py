"""The tools of each protocol revision, as last agreed: the newest whole, the others by members, size and digest."""

import hashlib
import json
from pathlib import Path

import orjson
import pytest

from citepress.operations.registry import ALL
from citepress_mcp.catalog import tool_entry
from citepress_mcp.versions import MCP_REVISIONS, cut_tool

FILE = Path(__file__).parent / "tools" / "list.json"


def _rendered() -> str:
    tools = [tool_entry(operation) for operation in ALL]
    contracts = {}
    for revision in MCP_REVISIONS:
        shown = [cut_tool(tool, revision) for tool in tools]
        body = orjson.dumps(shown)
        contracts[revision] = {
            "members": sorted(shown[0]),
            "bytes": len(body),
            "sha256": hashlib.sha256(body).hexdigest(),
        }
    return json.dumps({"revisions": contracts, "tools": tools}, indent=1, ensure_ascii=False) + "\n"


def test_the_tools_of_every_revision_are_as_agreed(pytestconfig: pytest.Config) -> None:
    text = _rendered()
    if pytestconfig.getoption("--update"):
        FILE.write_text(text, "utf-8")
    assert FILE.is_file(), f"no golden yet: {FILE.name}; see docs/contributing.md"
    assert text == FILE.read_text("utf-8")
