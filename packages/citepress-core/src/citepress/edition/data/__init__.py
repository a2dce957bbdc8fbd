"""The data of an archive: datasets, sources and the bibliography, as documents and tables."""
