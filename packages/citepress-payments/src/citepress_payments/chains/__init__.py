"""The chain families: what each must know to check a payment, find its transfer and report its own health."""
