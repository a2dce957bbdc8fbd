"""The endpoint's rows of the route table."""

from citepress.base.media import JSON
from citepress.contract.cache import Cache
from citepress.contract.document import Section
from citepress.contract.route import Route
from citepress_mcp.documents.openapi import endpoint_parts
from citepress_mcp.paths import CARD, CHATGPT_ENDPOINT, ENDPOINT


def _post(path: str, name: str, about: str, *, promised: bool = True) -> Route:
    cache, parts = Cache.NO_STORE, endpoint_parts
    return Route("POST", path, name, JSON, Section.MCP, about, cache, promised=promised, openapi=parts)


CHATGPT = "MCP for ChatGPT's deep research and company knowledge: the tools search and fetch alone."
ROUTES = (
    _post(ENDPOINT, "mcp", "The MCP endpoint (Streamable HTTP)."),
    _post(CARD, "mcp_well_known", "The same MCP endpoint."),
    _post(CHATGPT_ENDPOINT, "mcp_chatgpt", CHATGPT, promised=False),
)
