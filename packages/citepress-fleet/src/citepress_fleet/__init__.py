"""Distribution: how an edition travels through an object store, signed, to any number of servers."""
