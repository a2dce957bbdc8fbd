"""The classifier: which family a User-Agent names, which class a request falls into, what a path probes for; pure."""
