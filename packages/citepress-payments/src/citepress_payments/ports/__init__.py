"""What the payment room needs of chains and stores.

Amounts are integers of the smallest unit, times are whole seconds since 1970-01-01T00:00Z. An *entry* is one member of
``accepts`` and a *payload* the buyer's proof, both as JSON values exactly as they were sent.
"""
