"""Configuration of the programs around a service: proxies, caches, service managers and containers."""
