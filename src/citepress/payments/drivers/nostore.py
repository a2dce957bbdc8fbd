"""The SDK's memory of pending settlements, without memory."""


class NoStore:
    """Remembers nothing, because the ledger does."""

    def get(self, key: str) -> str | None:
        """Nothing."""
        del key
        return None

    def set(self, key: str, tx_hash: str) -> None:
        """Nothing."""

    def delete(self, key: str) -> None:
        """Nothing."""
