"""The pages on which readers report errors in records."""
