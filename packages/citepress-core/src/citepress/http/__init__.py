"""HTTP types and rules that every server shares: requests, responses, negotiation, queries and problem documents."""
