"""The history of telemetry's rollup tables, one step a file, shared by both databases."""
