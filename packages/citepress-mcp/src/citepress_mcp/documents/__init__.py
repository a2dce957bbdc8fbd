"""The documents about the endpoint: guides, server card, manifest, skills, and its part of OpenAPI."""
