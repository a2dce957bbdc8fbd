"""Capture: from a response that was sent to a row without a person in it."""
