"""Keys that are created at the first start and stored in the database, so that all hosts share them."""

import hashlib
import secrets

import sqlalchemy as sa

from citepress.stores.sql.database import Database
from citepress.stores.sql.tables import SECRETS

SECRET_BYTES = 32
CLIENT_KEY = "client-address"
"""Name of the key that hashes client addresses."""


def secret(database: Database, name: str = CLIENT_KEY) -> bytes:
    """The key of this name, thirty-two random bytes; created at the first request, in any process."""
    query = sa.select(SECRETS.c.value).where(SECRETS.c.name == name)
    with database.writing() as connection:
        database.lock(connection, hashlib.sha256(name.encode()).digest())
        value = connection.scalar(query)
        if value is None:
            value = secrets.token_bytes(SECRET_BYTES)
            connection.execute(SECRETS.insert().values(name=name, value=value))
        return bytes(value)


def client_hash(key: bytes, client: str) -> bytes:
    """The keyed hash of a client address, sixteen bytes; without the key it cannot be reversed."""
    return hashlib.blake2b(client.encode(), digest_size=16, key=key).digest()
