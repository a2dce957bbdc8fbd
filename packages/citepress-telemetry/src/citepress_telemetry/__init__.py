"""What machines read here: requests are counted, sorted by who says they are what, and published as counts."""
