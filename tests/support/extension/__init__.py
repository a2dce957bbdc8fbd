"""A record kind, a representation and an operation that the package does not have, as contributing.md adds them."""
