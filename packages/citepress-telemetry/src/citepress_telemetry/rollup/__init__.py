"""Rollups: rows of an hour become sums that last."""
