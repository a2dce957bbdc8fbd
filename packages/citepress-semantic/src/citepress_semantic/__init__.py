"""Search by meaning, an extension: vectors of records and questions beside the index of words.

Most modules need numpy, so nothing imports them before semantic search is switched on.
"""
