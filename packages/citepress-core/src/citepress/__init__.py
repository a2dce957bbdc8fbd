"""citepress publishes an archive that people and agents can read, cite, correct and buy compute from."""

__version__ = "0.1.0"
