"""Stores that several workers or hosts share through Valkey (or Redis)."""
