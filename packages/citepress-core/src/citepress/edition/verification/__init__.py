"""What makes an edition verifiable: its tree of digests, and the documents of the log that it is an entry of."""
