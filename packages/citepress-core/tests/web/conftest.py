"""Fixtures that several tests of the server share."""

from support.connected_client import play, state

__all__ = ["play", "state"]
