"""What the MCP endpoint adds to citepress."""

from citepress.extension import Command, Extension

EXTENSION = Extension(
    name="mcp",
    commands=(
        Command(
            "mcp",
            "citepress_mcp.command:mcp",
            "Serve MCP over standard input and output, one message per line, until the input ends.",
            {"mcp": ("mcp archive", "Is what a client such as an editor starts; it speaks JSON-RPC line by line.")},
        ),
    ),
    routes="citepress.contract.mcp_offer:ROUTES",
    offers="citepress_mcp.worker:OFFERS",
    workers="citepress_mcp.worker:WORKERS",
)
