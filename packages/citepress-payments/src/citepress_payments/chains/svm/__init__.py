"""Solana: exact token payments and native transfers."""
