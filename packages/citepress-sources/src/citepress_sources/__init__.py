"""Captures of cited sources: fetched politely, kept privately as WARC, compared with later ones and with quotes."""
