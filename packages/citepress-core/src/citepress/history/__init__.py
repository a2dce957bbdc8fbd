"""What was published before: revisions and their numbers, names, and the editions that held them."""
