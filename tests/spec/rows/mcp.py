"""The MCP endpoint."""

# fmt: off
ROWS = {
    ("MCP endpoint", "mcp"): {
        "POST /mcp": "Streamable HTTP MCP endpoint.",
        "POST /.well-known/mcp": "The same endpoint.",
        "mcp headers": "Content-Type, Accept, MCP-Protocol-Version and Mcp-Method are used; the body is JSON-RPC 2.0.",
        "mcp server/discover": "params._meta carries protocolVersion, clientInfo and clientCapabilities; examples use 2026-07-28.",
        "mcp resources": ("Resources and resource templates: the list is not shown.", "Every promised document and a template for each record family."),
        "mcp read tools": "The eleven read-only tools.",
        "mcp submission tools": "submit_source, submit_correction, submit_usage_receipt: queued for weekly review.",
        "mcp prompts": "research_a_url, weekly_ai_engineering_brief, verify_a_claim.",
        "mcp rule 1": "No tool edits or publishes a record.",
        "mcp rule 2": "initialize with an unsupported version is answered with 2025-11-25, not an error.",
        "mcp rule 3": "Batches of up to 10 messages are accepted from clients on 2025-03-26.",
        "mcp rule 4": "The tool list of the developer guide is the fuller statement.",
    },
    ("Authentication", "mcp"): {"authentication 1 mcp": "MCP needs no key, login, account or payment."},
    ("Errors", "mcp"): {
        "error mcp limit": "Over the MCP limit: 429 with RateLimit fields and Retry-After.",
        "error mcp protocol": "A protocol failure is a JSON-RPC error object.",
        "error mcp version": "An unsupported version in initialize is no error.",
        "error mcp codes": ("JSON-RPC error codes are not shown.", "The standard codes and those of the MCP revisions."),
    },
    ("Limits", "mcp"): {
        "limit mcp": "60 requests a minute for each client.",
        "limit mcp body": "A body holds 256 KiB at most.",
        "limit mcp time": "A body arrives within 5 seconds.",
        "limit mcp batch": "A batch holds up to 10 messages, for clients on 2025-03-26 or later.",
    },
}
