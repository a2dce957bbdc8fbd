"""The paths of the endpoint and of its documents."""

from citepress.base.media import Media
from citepress.http.message import Handler

SERVER_CARD = Media("json", "application/mcp-server-card+json")
ENDPOINT, CARD = "/mcp", "/.well-known/mcp"
"""The two paths of the endpoint; the second answers GET with the server card."""
CARD_COPY = "/mcp/server-card"
"""The path of the card that the drafts of its form recommend."""
MANIFEST = "/mcp-readonly.json"
CONNECT = "/connect/"
CHATGPT_ENDPOINT = "/mcp/chatgpt"
"""The endpoint with the two tools that ChatGPT's deep research accepts. A path, because clients drop queries."""


def at_paths(archive: Handler, chatgpt: Handler) -> dict[str, Handler]:
    """The two endpoints at all their paths, with a slash at the end too.

    Many clients write one, and none follows a redirect of a POST.
    """
    served = {ENDPOINT: archive, CARD: archive, CHATGPT_ENDPOINT: chatgpt}
    return served | {f"{path}/": serving for path, serving in served.items()}
