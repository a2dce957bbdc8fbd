"""The migrations of telemetry's rollup tables, one per file, shared by both databases."""
