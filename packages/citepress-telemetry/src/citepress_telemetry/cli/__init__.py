"""The command ``citepress telemetry``, one file for each group of its commands."""
