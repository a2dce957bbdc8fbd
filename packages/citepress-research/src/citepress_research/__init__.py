"""The record kinds of a research log, with their reports and operations."""
