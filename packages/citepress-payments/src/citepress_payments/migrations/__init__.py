"""The migrations of the state store, one per file, shared by both databases."""
