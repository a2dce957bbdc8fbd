"""The tables of the ledger; amounts are decimal text, for wei exceed 64 bits."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    text,
)

from citepress.stores.sql.tables import SERIAL

METADATA = MetaData()
IS_ACTIVE = text("state IN ('claimed', 'sent', 'settled')")
"""States in which a payment has its quote for itself."""
IS_SENT = text("state = 'sent' AND payer <> ''")
UNPAID = text("paid_by IS NULL")
AWAITED = text("finality = 'awaited'")
"""Sales whose transfer is in a block that is not final yet."""

RESULTS = Table(
    "results",
    METADATA,
    Column("sha256", String(64), primary_key=True),
    Column("product", String(64), nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("used_at", BigInteger, nullable=False),
)
"""What is sold, by its digest; ``used_at`` is when a quote last sold it."""

QUOTES = Table(
    "quotes",
    METADATA,
    Column("id", String(64), primary_key=True),
    Column("product", String(64), nullable=False),
    Column("lane", String(80), nullable=False),
    Column("client_key", LargeBinary(32), nullable=False),
    Column("body_sha256", String(64), nullable=False),
    Column("result_sha256", String(64), ForeignKey("results.sha256"), nullable=False),
    Column("salt", LargeBinary(32), nullable=False),
    Column("entries", Text, nullable=False),
    Column("usd_micros", BigInteger, nullable=False),
    Column("price", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("keep_until", BigInteger),
    Column("paid_by", String(300), unique=True),
    Column("size", BigInteger, nullable=False, server_default="0"),
    Index("quotes_unpaid", "lane", "expires_at", "size", sqlite_where=UNPAID, postgresql_where=UNPAID),
    Index("quotes_by_client", "client_key", "expires_at"),
    Index("quotes_by_end", "keep_until"),
    Index("quotes_by_result", "result_sha256"),
)
"""Terms for one body; without ``keep_until`` a quote lasts as long as the ledger."""

PAYMENTS = Table(
    "payments",
    METADATA,
    Column("key", String(300), primary_key=True),
    Column("quote_id", String(64), nullable=False),
    Column("rail", String(64), nullable=False),
    Column("payer", String(64), nullable=False),
    Column("product", String(64), nullable=False),
    Column("body_sha256", String(64), nullable=False),
    Column("result_sha256", String(64), nullable=False),
    Column("evidence", Text, nullable=False),
    Column("evidence_sha256", String(64), nullable=False),
    Column("state", String(8), nullable=False),
    Column("reason", Text, nullable=False),
    Column("response", Text, nullable=False),
    Column("owner", String(80), nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("lease_until", BigInteger, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("tx", String(100), nullable=False, server_default=""),
    Column("usd_micros", BigInteger, nullable=False, server_default="0"),
    Column("fee", Text, nullable=False, server_default="0"),
    Column("fee_reason", Text, nullable=False, server_default=""),
    Column("finality", String(8), nullable=False, server_default=""),
    Index("payments_by_rail", "rail", "state", "updated_at"),
    Index("payments_by_finality", "lease_until", sqlite_where=AWAITED, postgresql_where=AWAITED),
    Index("payments_one_active_a_quote", "quote_id", unique=True, sqlite_where=IS_ACTIVE, postgresql_where=IS_ACTIVE),
    Index(
        "payments_one_sent_a_body",
        "payer",
        "product",
        "body_sha256",
        unique=True,
        sqlite_where=IS_SENT,
        postgresql_where=IS_SENT,
    ),
    Index("payments_by_payer", "payer", "product", "body_sha256"),
    Index("payments_by_quote", "quote_id"),
    Index("payments_by_lease", "state", "lease_until"),
    Index("payments_by_time", "created_at"),
)
"""One row a payment; it outlives its quote."""

BROADCASTS = Table(
    "broadcasts",
    METADATA,
    Column("key", String(300), ForeignKey("payments.key"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("tx", String(100), unique=True),
    Column("raw", LargeBinary, nullable=False),
    Column("signer", String(64), nullable=False),
    Column("nonce", BigInteger),
    Column("kind", String(8), nullable=False),
    Column("created_at", BigInteger, nullable=False),
)
"""What was or may have been sent for a payment, written before any byte leaves."""

SIGNERS = Table(
    "signers",
    METADATA,
    Column("network", String(64), primary_key=True),
    Column("address", String(64), primary_key=True),
    Column("next_nonce", BigInteger, nullable=False),
)
"""The next nonce of each account that we sign with."""

PAUSES = Table(
    "pauses",
    METADATA,
    Column("rail", String(64), primary_key=True),
    Column("reason", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("since", BigInteger, nullable=False),
    Column("now", Boolean, nullable=False),
    Column("until", BigInteger, nullable=False, server_default="0"),
)
"""Rails that make no new quotes."""

PAYMENT_EVENTS = Table(
    "payment_events",
    METADATA,
    Column("seq", SERIAL, primary_key=True, autoincrement=True),
    Column("at", BigInteger, nullable=False),
    Column("key", String(300), nullable=False),
    Column("quote_hash", String(64), nullable=False),
    Column("rail", String(64), nullable=False),
    Column("change", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("tx", String(100), nullable=False),
    Index("payment_events_by_key", "key", "seq"),
    Index("payment_events_by_quote", "quote_hash", "seq"),
)
"""What happened to money and rails; triggers refuse to change or delete a line."""
