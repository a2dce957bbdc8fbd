"""The versions that the contract promises (specification, "Versioning")."""

CONTRACT_VERSION = "2026-09-01"
"""``info.version`` of both OpenAPI documents."""
LAST_REVIEWED = "2026-09-01"
"""The date the developer guide was last reviewed."""
SCHEMA_VERSION = 1
"""``schema_version`` of every record and document, until an incompatible change."""
SUNSET_WINDOW_DAYS = 90
"""The least number of days between an announced deprecation and its sunset."""
