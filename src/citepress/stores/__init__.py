"""The stores: one folder a technology, each filling ports that other rooms declare."""
