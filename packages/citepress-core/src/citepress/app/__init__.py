"""The composition root: the only package that joins declarations, stores and handlers.

Nothing is imported here, so that a command loads only what it needs.
"""
