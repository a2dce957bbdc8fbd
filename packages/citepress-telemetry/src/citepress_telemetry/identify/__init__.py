"""Identification: which client a User-Agent names, and whether an address or a signature proves it."""
