"""The classifier: the family of a User-Agent, the class of a request, the category of a probe; pure functions."""
