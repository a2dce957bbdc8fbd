"""Books as records of an archive, and what to read next."""
