"""Paid compute over x402: quotes, one settlement a payment, and the stored result for whoever paid for it."""
