"""The ground floor: canonical bytes, the one clock, media types, URLs and identifiers."""
