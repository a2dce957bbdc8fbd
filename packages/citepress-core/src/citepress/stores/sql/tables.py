"""The tables as this version of the code uses them; times are whole seconds since 1970, UTC."""

from sqlalchemy import BigInteger, Column, Integer, LargeBinary, MetaData, String, Table

METADATA = MetaData()
SERIAL = BigInteger().with_variant(Integer, "sqlite")
"""SQLite assigns row numbers only to a column of type INTEGER."""

SECRETS = Table(
    "secrets", METADATA, Column("name", String(40), primary_key=True), Column("value", LargeBinary(64), nullable=False)
)
"""Keys that were created at the first start and are shared by all hosts."""
