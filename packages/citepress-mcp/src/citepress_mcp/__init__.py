"""The MCP endpoint: five protocol revisions and batches on one stateless address, over HTTP and over stdio."""
