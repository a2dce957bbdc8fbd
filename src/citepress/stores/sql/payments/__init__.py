"""Payments in a database: the ledger of quotes, results and payments, and the simulated chain of the demo."""
