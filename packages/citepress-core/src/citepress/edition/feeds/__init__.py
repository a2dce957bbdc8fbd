"""Feeds as RSS, Atom and JSON Feed, each written from one neutral model."""
