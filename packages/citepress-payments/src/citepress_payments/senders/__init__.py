"""The senders: who broadcasts a payment that the buyer has signed."""
