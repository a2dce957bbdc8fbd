"""Reads the sites of other tools, and writes them as records, static files and redirects of a content folder."""
