"""The edition: an archive compiled into immutable bytes for every public path."""
