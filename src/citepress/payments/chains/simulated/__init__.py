"""The simulated chain of the demo, with its published buyer."""
