"""The tables of the ledger; amounts are decimal text, for wei exceed 64 bits."""

from typing import Any

import sqlalchemy as sa

from citepress.stores.sql.tables import SERIAL

METADATA = sa.MetaData()
IS_ACTIVE = sa.text("state IN ('claimed', 'sent', 'settled')")
"""States in which a payment has its quote for itself."""
IS_SENT = sa.text("state = 'sent' AND payer <> ''")
UNPAID = sa.text("paid_by IS NULL")
AWAITED = sa.text("finality = 'awaited'")
"""Sales whose transfer is in a block that is not final yet."""

Type = type[sa.types.TypeEngine[Any]] | sa.types.TypeEngine[Any]


def key(name: str, length: int = 64) -> sa.Column[str]:
    """A column of the primary key."""
    return sa.Column(name, sa.String(length), primary_key=True)


def short(name: str, length: int = 64) -> sa.Column[str]:
    """A name, a digest or a word, which is always there."""
    return sa.Column(name, sa.String(length), nullable=False)


def value(name: str, type_: Type = sa.BigInteger, default: str | None = None) -> sa.Column[Any]:
    """Any other value that is always there; ``default`` is what rows of earlier versions have."""
    return sa.Column(name, type_, nullable=False, server_default=default)


RESULTS = sa.Table(
    "results", METADATA, key("sha256"), short("product"), value("body", sa.LargeBinary), value("used_at")
)
"""What is sold, by its digest; ``used_at`` is when a quote last sold it."""

QUOTES = sa.Table(
    "quotes",
    METADATA,
    key("id"),
    short("product"),
    short("lane", 80),
    value("client_key", sa.LargeBinary(32)),
    short("body_sha256"),
    sa.Column("result_sha256", sa.String(64), sa.ForeignKey("results.sha256"), nullable=False),
    value("salt", sa.LargeBinary(32)),
    value("entries", sa.Text),
    value("usd_micros"),
    value("price", sa.Text),
    *map(value, ("created_at", "expires_at")),
    sa.Column("keep_until", sa.BigInteger),
    sa.Column("paid_by", sa.String(300), unique=True),
    value("size", default="0"),
    sa.Index("quotes_unpaid", "lane", "expires_at", "size", sqlite_where=UNPAID, postgresql_where=UNPAID),
    sa.Index("quotes_by_client", "client_key", "expires_at"),
    sa.Index("quotes_by_end", "keep_until"),
    sa.Index("quotes_by_result", "result_sha256"),
)
"""Terms for one body; without ``keep_until`` a quote lasts as long as the ledger."""

_BODY = ("payer", "product", "body_sha256")
PAYMENTS = sa.Table(
    "payments",
    METADATA,
    key("key", 300),
    *map(short, ("quote_id", "rail", *_BODY, "result_sha256")),
    value("evidence", sa.Text),
    short("evidence_sha256"),
    short("state", 8),
    value("reason", sa.Text),
    value("response", sa.Text),
    short("owner", 80),
    *map(value, ("epoch", "lease_until", "created_at", "updated_at")),
    value("tx", sa.String(100), ""),
    value("usd_micros", default="0"),
    value("fee", sa.Text, "0"),
    value("fee_reason", sa.Text, ""),
    value("finality", sa.String(8), ""),
    sa.Index("payments_by_rail", "rail", "state", "updated_at"),
    sa.Index("payments_by_finality", "lease_until", sqlite_where=AWAITED, postgresql_where=AWAITED),
    # The database forbids a second payment of a quote and of a body, whatever processes believe.
    sa.Index(
        "payments_one_active_a_quote", "quote_id", unique=True, sqlite_where=IS_ACTIVE, postgresql_where=IS_ACTIVE
    ),
    sa.Index("payments_one_sent_a_body", *_BODY, unique=True, sqlite_where=IS_SENT, postgresql_where=IS_SENT),
    sa.Index("payments_by_payer", *_BODY),
    sa.Index("payments_by_quote", "quote_id"),
    sa.Index("payments_by_lease", "state", "lease_until"),
    sa.Index("payments_by_time", "created_at"),
)
"""One row a payment; it outlives its quote."""

BROADCASTS = sa.Table(
    "broadcasts",
    METADATA,
    sa.Column("key", sa.String(300), sa.ForeignKey("payments.key"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("tx", sa.String(100), unique=True),
    value("raw", sa.LargeBinary),
    short("signer"),
    sa.Column("nonce", sa.BigInteger),
    short("kind", 8),
    value("created_at"),
)
"""What was or may have been sent for a payment, written before any byte leaves."""

SIGNERS = sa.Table("signers", METADATA, key("network"), key("address"), value("next_nonce"))
"""The next nonce of each account that we sign with."""

PAUSES = sa.Table(
    "pauses",
    METADATA,
    key("rail"),
    value("reason", sa.Text),
    value("by", sa.Text),
    value("since"),
    value("now", sa.Boolean),
    value("until", default="0"),
)
"""Rails that make no new quotes."""

PAYMENT_EVENTS = sa.Table(
    "payment_events",
    METADATA,
    sa.Column("seq", SERIAL, primary_key=True, autoincrement=True),
    value("at"),
    short("key", 300),
    *map(short, ("quote_hash", "rail")),
    short("change", 16),
    value("reason", sa.Text),
    short("tx", 100),
    sa.Index("payment_events_by_key", "key", "seq"),
    sa.Index("payment_events_by_quote", "quote_hash", "seq"),
)
"""What happened to money and rails; triggers refuse to change or delete a line."""
