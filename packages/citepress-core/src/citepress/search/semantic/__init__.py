"""Semantic search, an extra: vectors of records and questions beside the index of words.

Its modules need numpy, so nothing imports them before semantic search is switched on.
"""
