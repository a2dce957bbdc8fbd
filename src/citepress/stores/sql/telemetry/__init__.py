"""Telemetry in a database: the spool of raw rows, the rollups of closed hours, the reports of several nodes, and who closes."""
