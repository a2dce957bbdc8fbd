"""The simulated chain of the demo: a chain in the state store, its driver, and a buyer with a published key.

Real payments import nothing of it; ``payments.drivers`` loads its driver and its buyer by name.
"""
