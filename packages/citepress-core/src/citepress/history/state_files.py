"""Where the state folder keeps what was published before; a backup copies ``KEPT_FOLDERS``."""

REVISIONS = "revisions"
"""Revisions of records without a history in Git, the numbers that were given, and the names that were published."""
LOG = "log"
"""The logs of the editions that were published from this state folder."""
EDITIONS_LOG, EXPORT_LOG = f"{LOG}/editions.jsonl", f"{LOG}/export.jsonl"
"""Of what a service shows, and of what ``citepress build`` wrote: two sites of different files."""
KEPT_FOLDERS = (LOG, REVISIONS)
"""Their files only grow or are replaced whole, so they can be copied while they are in use."""
