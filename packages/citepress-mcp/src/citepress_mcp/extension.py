"""What the MCP endpoint adds to citepress."""

from citepress.extension import Command, Extension

MISMATCHES = "citepress_mcp_version_mismatches_total"
EXTENSION = Extension(
    name="mcp",
    commands=(
        Command(
            "mcp",
            "citepress_mcp.command:mcp",
            "Serve MCP over standard input and output, one message per line, until the input ends.",
            {"mcp": ("mcp archive", "Is what a client such as an editor starts; it speaks JSON-RPC line by line.")},
            group="Run",
        ),
    ),
    limits=("mcp",),
    counted={
        MISMATCHES: "MCP messages that were read by their body, because the header named another protocol version."
    },
    tables="citepress_mcp.settings:TABLES",
    variables="citepress_mcp.settings:VARIABLES",
    operations="citepress_mcp.operations:ALL",
    documents="citepress_mcp.documents:ALL",
    guide="citepress_mcp.documents.guides:GUIDE",
    apis="citepress_mcp.documents.guides:APIS",
    routes="citepress_mcp.documents.openapi:ROUTES",
    workers="citepress_mcp.worker:WORKERS",
)
