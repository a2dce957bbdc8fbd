"""HTTP without a server: requests, responses, negotiation, preconditions, paths, queries, client addresses and problem documents."""
