"""An older Python SDK as a client: what it negotiates, and that everything can be read. Prints one JSON document."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client import streamable_http

connect = getattr(streamable_http, "streamablehttp_client", None) or streamable_http.streamable_http_client


async def main(url: str) -> None:
    async with connect(url) as (read, write, *_), ClientSession(read, write) as session:
        greeted = await session.initialize()
        tools = (await session.list_tools()).tools
        called = await session.call_tool("search_archive", {"query": "memory", "limit": 1})
        resources = (await session.list_resources()).resources
        resource = await session.read_resource(resources[0].uri)
        summary = {
            "version": str(greeted.protocolVersion),
            "tools": len(tools),
            "text": bool(called.content[0].text),
            "read": bool(resource.contents[0].text),
        }
        print(json.dumps(summary))


asyncio.run(main(sys.argv[1]))
