"""What one process keeps for itself."""
