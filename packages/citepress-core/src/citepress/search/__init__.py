"""Search: an index built with the edition, which every worker reads, and which gives all of them the same answers."""
