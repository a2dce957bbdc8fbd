"""The modules of an extension: a record kind, a representation and an operation that citepress does not have."""
