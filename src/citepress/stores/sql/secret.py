"""Keys that are made at the first start, live in the store, and are the same for every host."""

import hashlib
import secrets

import sqlalchemy as sa

from citepress.stores.sql.database import Database
from citepress.stores.sql.tables import SECRETS

BYTES = 32
CLIENT = "client-address"
"""Name of the key that hashes client addresses."""


def secret(database: Database, name: str = CLIENT) -> bytes:
    """The key of this name, thirty-two random bytes; made when it is asked for the first time, in whatever process."""
    known = sa.select(SECRETS.c.value).where(SECRETS.c.name == name)
    with database.writing() as connection:
        database.lock(connection, hashlib.sha256(name.encode()).digest())
        value = connection.scalar(known)
        if value is None:
            value = secrets.token_bytes(BYTES)
            connection.execute(SECRETS.insert().values(name=name, value=value))
        return bytes(value)


def client_hash(key: bytes, client: str) -> bytes:
    """Sixteen bytes that stand for a client address; without the key nobody can tell which."""
    return hashlib.blake2b(client.encode(), digest_size=16, key=key).digest()
