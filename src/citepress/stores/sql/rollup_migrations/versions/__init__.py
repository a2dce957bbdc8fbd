"""Steps of the history; each is run once, in order, and never changed afterwards."""
