"""Telemetry in a database: the spool, the rollups, the reports of several nodes, and the aggregator's election."""
