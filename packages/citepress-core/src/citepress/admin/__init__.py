"""What the commands call: use cases of the operator, each over the stores and the edition that the settings name.

Nothing is imported here, so that a command loads only what it needs.
"""
