"""The migrations; each is run once, in order, and never changed afterwards."""
