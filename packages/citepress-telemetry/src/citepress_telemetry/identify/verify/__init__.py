"""Verification beyond the User-Agent: published address ranges, reverse DNS and signed requests."""
