"""Stores within one process or on one host."""
