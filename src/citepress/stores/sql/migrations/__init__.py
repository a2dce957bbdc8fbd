"""The history of the tables, one step a file, shared by both databases."""
