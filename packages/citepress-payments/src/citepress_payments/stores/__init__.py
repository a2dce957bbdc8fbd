"""Payments in a database: the ledger of quotes, results and payments."""
