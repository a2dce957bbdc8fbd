"""Payments: results, quotes, payments, broadcasts, signers, pauses and their history, and the simulated chain."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = None

SERIAL = sa.BigInteger().with_variant(sa.Integer, "sqlite")
CHANGES = ("UPDATE", "DELETE")
ACTIVE = sa.text("state IN ('claimed', 'sent', 'settled')")
SENT = sa.text("state = 'sent' AND payer <> ''")


def upgrade() -> None:
    """Create the tables; triggers make the history append-only."""
    _results()
    _quotes()
    _payments()
    _broadcasts()
    _signers()
    _pauses()
    _payment_events()
    _simulated_balances()
    _simulated_transfers()
    if op.get_bind().dialect.name == "postgresql":
        _append_only_in_postgresql()
    else:
        _append_only_in_sqlite()


def _results() -> None:
    op.create_table(
        "results",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("product", sa.String(64), nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("used_at", sa.BigInteger, nullable=False),
    )


def _quotes() -> None:
    op.create_table(
        "quotes",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("product", sa.String(64), nullable=False),
        sa.Column("lane", sa.String(80), nullable=False),
        sa.Column("client_key", sa.LargeBinary(32), nullable=False),
        sa.Column("body_sha256", sa.String(64), nullable=False),
        sa.Column("result_sha256", sa.String(64), sa.ForeignKey("results.sha256"), nullable=False),
        sa.Column("salt", sa.LargeBinary(32), nullable=False),
        sa.Column("entries", sa.Text, nullable=False),
        sa.Column("usd_micros", sa.BigInteger, nullable=False),
        sa.Column("price", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("keep_until", sa.BigInteger),
        sa.Column("paid_by", sa.String(300), unique=True),
    )
    op.create_index("quotes_by_client", "quotes", ["client_key", "expires_at"])
    op.create_index("quotes_by_end", "quotes", ["keep_until"])
    op.create_index("quotes_by_result", "quotes", ["result_sha256"])


def _payments() -> None:
    op.create_table(
        "payments",
        sa.Column("key", sa.String(300), primary_key=True),
        sa.Column("quote_id", sa.String(64), nullable=False),
        sa.Column("rail", sa.String(64), nullable=False),
        sa.Column("payer", sa.String(64), nullable=False),
        sa.Column("product", sa.String(64), nullable=False),
        sa.Column("body_sha256", sa.String(64), nullable=False),
        sa.Column("result_sha256", sa.String(64), nullable=False),
        sa.Column("evidence", sa.Text, nullable=False),
        sa.Column("evidence_sha256", sa.String(64), nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("response", sa.Text, nullable=False),
        sa.Column("owner", sa.String(80), nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("lease_until", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.BigInteger, nullable=False),
    )
    op.create_index(
        "payments_one_active_a_quote",
        "payments",
        ["quote_id"],
        unique=True,
        sqlite_where=ACTIVE,
        postgresql_where=ACTIVE,
    )
    op.create_index(
        "payments_one_sent_a_body",
        "payments",
        ["payer", "product", "body_sha256"],
        unique=True,
        sqlite_where=SENT,
        postgresql_where=SENT,
    )
    op.create_index("payments_by_payer", "payments", ["payer", "product", "body_sha256"])
    op.create_index("payments_by_quote", "payments", ["quote_id"])
    op.create_index("payments_by_lease", "payments", ["state", "lease_until"])
    op.create_index("payments_by_time", "payments", ["created_at"])


def _broadcasts() -> None:
    op.create_table(
        "broadcasts",
        sa.Column("key", sa.String(300), sa.ForeignKey("payments.key"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("tx", sa.String(100), unique=True),
        sa.Column("raw", sa.LargeBinary, nullable=False),
        sa.Column("signer", sa.String(64), nullable=False),
        sa.Column("nonce", sa.BigInteger),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )


def _signers() -> None:
    op.create_table(
        "signers",
        sa.Column("network", sa.String(64), primary_key=True),
        sa.Column("address", sa.String(64), primary_key=True),
        sa.Column("next_nonce", sa.BigInteger, nullable=False),
    )


def _pauses() -> None:
    op.create_table(
        "pauses",
        sa.Column("rail", sa.String(64), primary_key=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("since", sa.BigInteger, nullable=False),
        sa.Column("now", sa.Boolean, nullable=False),
    )


def _payment_events() -> None:
    op.create_table(
        "payment_events",
        sa.Column("seq", SERIAL, primary_key=True, autoincrement=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("key", sa.String(300), nullable=False),
        sa.Column("quote_hash", sa.String(64), nullable=False),
        sa.Column("rail", sa.String(64), nullable=False),
        sa.Column("change", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("tx", sa.String(100), nullable=False),
    )
    op.create_index("payment_events_by_key", "payment_events", ["key", "seq"])
    op.create_index("payment_events_by_quote", "payment_events", ["quote_hash", "seq"])


def _simulated_balances() -> None:
    op.create_table(
        "simulated_balances",
        sa.Column("network", sa.String(64), primary_key=True),
        sa.Column("asset", sa.String(64), primary_key=True),
        sa.Column("account", sa.String(64), primary_key=True),
        sa.Column("amount", sa.Text, nullable=False),
    )


def _simulated_transfers() -> None:
    op.create_table(
        "simulated_transfers",
        sa.Column("network", sa.String(64), primary_key=True),
        sa.Column("tx", sa.String(100), primary_key=True),
        sa.Column("asset", sa.String(64), nullable=False),
        sa.Column("payer", sa.String(64), nullable=False),
        sa.Column("payee", sa.String(64), nullable=False),
        sa.Column("amount", sa.Text, nullable=False),
        sa.Column("nonce", sa.String(200), nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_index(
        "simulated_transfers_one_a_nonce", "simulated_transfers", ["network", "payer", "nonce"], unique=True
    )


def _append_only_in_postgresql() -> None:
    op.execute(
        "CREATE TRIGGER payment_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payment_events "
        "FOR EACH STATEMENT EXECUTE FUNCTION citepress_append_only()"
    )


def _append_only_in_sqlite() -> None:
    for change in CHANGES:
        op.execute(
            f"CREATE TRIGGER payment_events_no_{change.lower()} BEFORE {change} ON payment_events "
            "BEGIN SELECT RAISE(ABORT, 'events are only ever added'); END"
        )
