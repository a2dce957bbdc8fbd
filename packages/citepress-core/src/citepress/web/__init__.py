"""The web application: routing, content negotiation, conditional requests, rate limits, and the server."""
