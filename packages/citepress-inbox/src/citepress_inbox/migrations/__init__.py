"""The migrations of the inbox, one per file, shared by both databases."""
