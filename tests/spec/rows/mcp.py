"""The MCP endpoint."""

ROWS = {
    ("MCP endpoint", "mcp"): {
        "POST /mcp": "Streamable HTTP MCP endpoint.",
        "POST /.well-known/mcp": "The same endpoint.",
        "mcp citation": "What hands out a record begins with the line that its page prints under Cite this.",
        "mcp headers": "Content-Type, Accept, MCP-Protocol-Version and Mcp-Method are used; the body is JSON-RPC 2.0.",
        "mcp server/discover": (
            "params._meta carries protocolVersion, clientInfo and clientCapabilities; examples use 2026-07-28."
        ),
        "mcp resources": (
            "Resources and resource templates: the list is not shown.",
            "Every promised document and a template for each record family.",
        ),
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
        "error mcp codes": (
            "JSON-RPC error codes are not shown.",
            "The standard codes and those of the MCP revisions.",
        ),
    },
    ("Limits", "mcp"): {
        "limit mcp": "60 requests a minute for each client.",
        "limit mcp body": "A body holds 256 KiB at most.",
        "limit mcp time": "A body arrives within 5 seconds.",
        "limit mcp batch": "A batch holds up to 10 messages, for clients on 2025-03-26 or later.",
    },
    ("Status and error matrix (MCP design 2.4)", "mcp"): {
        "mcp-T1": "GET, HEAD, DELETE, PUT on /mcp: 405 -31405 null.",
        "mcp-T2": "OPTIONS with an allowed Origin / a refused one: 204 / 403 -31403 null.",
        "mcp-T3": (
            "Content-Length: 262145; chunked body of 262,145 bytes (262,144 bytes are served): 413 -31413 null, close."
        ),
        "mcp-T4": (
            "body incomplete after 5 s (also with a foreign Host: the body is read first): 408 -31408 null, close."
        ),
        "mcp-T5": (
            "one message more than the limit; batch larger than what is left: 429 -31429 null, before a body is read."
        ),
        "mcp-T6": "Host foreign or absent: 421 -31421 null.",
        "mcp-T7": "Origin http://evil.example, null, garbage: 403 -31403 null.",
        "mcp-T8": "Origin https://any.example, http://localhost:6274, http://[::1]:80: served, CORS.",
        "mcp-T9": "Accept text/html; application/json;q=0: 406 -31406 null; text/event-stream alone: one event.",
        "mcp-T10": "Accept absent, empty, */*, application/json, both types: served as JSON.",
        "mcp-T11": "Content-Type absent, text/plain, charset=latin1; Content-Encoding: gzip: 415 -31415 null.",
        "mcp-T12": (
            "empty body, cut JSON, bad UTF-8, byte-order mark, NaN, nesting past the decoder's depth: 400 -32700 null."
        ),
        "mcp-T13": "Mcp-Session-Id, Last-Event-ID sent: ignored, not echoed.",
        "mcp-T14": "no edition yet, or stopping: 503 -31503, Retry-After: 1.",
        "mcp-B1": (
            "array of 1 to 10 messages, header absent or a handshake revision; only notifications and responses in "
            "it: older: 200, array in request order, without notifications; 202 empty."
        ),
        "mcp-B2": "array of 0 or of 11 and more: 400 -32600 null; older: 400 -32600 null.",
        "mcp-B3": "array under header 2026-07-28 or an unknown one: 400 -32600 null.",
        "mcp-B4": (
            "array member with an envelope, or initialize in an array: older: -32600 for that member, 200 for the "
            "array."
        ),
        "mcp-B5": "array member that is no message: older: -32600 null for that member.",
        "mcp-M1": (
            'JSON that is no object; jsonrpc absent or not "2.0"; method absent or no string (and no result, no '
            "error); id null, boolean, fraction, object: 400 -32600 null."
        ),
        "mcp-M2": "notification (no id), any method, known or not: 202 empty; older: 202 empty.",
        "mcp-M3": "response (result or error, no method): 400 -32600 null; older: 202 empty.",
        "mcp-M4": "params an array or scalar: 400 -32602; older: 200 -32602.",
        "mcp-M5": "unknown method: 404 -32601; older: 200 -32601.",
        "mcp-M6": "initialize, ping (in an envelope: modern): 404 -32601; older: served.",
        "mcp-M7": (
            "logging/setLevel, resources/subscribe, resources/unsubscribe, tasks/*, subscriptions/listen: 404 -32601;"
            " older: 200 -32601."
        ),
        "mcp-M8": (
            "server/discover, skills/list, skills/get: served; older: 200 -32601; the message names the envelope."
        ),
        "mcp-M9": (
            "header 2026-07-28 without _meta; envelope without mcp/clientCapabilities; a non-string version: 400 "
            "-32602."
        ),
        "mcp-M10": "envelope, header absent or different: 400 -32020; an older revision: the envelope holds.",
        "mcp-M11": "Mcp-Method absent, different, in other case: 400 -32020; older: ignored.",
        "mcp-M12": (
            "Mcp-Name absent, different, malformed Base64 on the three named methods: 400 -32020; older: ignored."
        ),
        "mcp-M13": (
            "Mcp-Name: =?base64?…?=; spaces and tabs around values; header names in any case: served; older: ignored."
        ),
        "mcp-M14": "envelope and header agree on 2099-01-01, or on a handshake revision: 400 -32022 with data.",
        "mcp-M15": "header banana without envelope (not initialize): 400 -32022 with data; a newer one: 2025-11-25.",
        "mcp-M16": (
            "mcp/clientInfo absent; unknown members in params; inputResponses, requestState: served, ignored; older: "
            "served, ignored."
        ),
        "mcp-M17": (
            "initialize with a handshake version; with any other string (1999-01-01, banana, 2026-07-28); each with "
            "no, the same or an unknown header: older: 200, that version; 200, 2025-11-25."
        ),
        "mcp-M18": (
            "initialize without protocolVersion, or not a string (absent clientInfo and capabilities are tolerated): "
            "older: 200 -32602."
        ),
        "mcp-M19": "tools/call: unknown tool, no name, arguments not an object: 400 -32602; older: 200 -32602.",
        "mcp-M20": "tools/call: bad value, unknown record, bad cursor, inbox quota used up: 200, isError: true.",
        "mcp-M21": (
            "resources/read: unknown, foreign, withdrawn or too large URI (data.uri): 400 -32602; older: 200 -32002."
        ),
        "mcp-M22": (
            "resources/read without a string uri; prompts/get: unknown prompt, missing required argument, value not a"
            " string or out of bounds; completion/complete: unknown ref or argument, value not a string or over 500 "
            "characters: 400 -32602; older: 200 -32602."
        ),
        "mcp-M23": (
            'any list: cursor not a string, undecodable, or of another list: 400 -32602 "Invalid cursor"; '
            "older: 200 -32602."
        ),
        "mcp-M24": 'the operation raises something unforeseen: 200 -32603 "Internal error", no detail.',
    },
}
