"""Payments: results, quotes, payments, broadcasts, signers, pauses and their history, and the simulated chain."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = None

Type = type[sa.types.TypeEngine[Any]] | sa.types.TypeEngine[Any]
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
    op.create_table("results", _key("sha256"), _name("product"), _value("body", sa.LargeBinary), _value("used_at"))


def _quotes() -> None:
    result = sa.Column("result_sha256", sa.String(64), sa.ForeignKey("results.sha256"), nullable=False)
    op.create_table(
        "quotes",
        *(_key("id"), _name("product"), _name("lane", 80), _value("client_key", sa.LargeBinary(32))),
        *(_name("body_sha256"), result, _value("salt", sa.LargeBinary(32)), _value("entries", sa.Text)),
        *(_value("usd_micros"), _value("price", sa.Text), _value("created_at"), _value("expires_at")),
        sa.Column("keep_until", sa.BigInteger),
        sa.Column("paid_by", sa.String(300), unique=True),
    )
    op.create_index("quotes_by_client", "quotes", ["client_key", "expires_at"])
    op.create_index("quotes_by_end", "quotes", ["keep_until"])
    op.create_index("quotes_by_result", "quotes", ["result_sha256"])


def _payments() -> None:
    body = ["payer", "product", "body_sha256"]
    op.create_table(
        "payments",
        _key("key", 300),
        *map(_name, ("quote_id", "rail", *body, "result_sha256")),
        *(_value("evidence", sa.Text), _name("evidence_sha256"), _name("state", 8)),
        *(_value("reason", sa.Text), _value("response", sa.Text), _name("owner", 80)),
        *map(_value, ("epoch", "lease_until", "created_at", "updated_at")),
    )
    one_active: dict[str, Any] = {"unique": True, "sqlite_where": ACTIVE, "postgresql_where": ACTIVE}
    op.create_index("payments_one_active_a_quote", "payments", ["quote_id"], **one_active)
    one_sent: dict[str, Any] = {"unique": True, "sqlite_where": SENT, "postgresql_where": SENT}
    op.create_index("payments_one_sent_a_body", "payments", body, **one_sent)
    op.create_index("payments_by_payer", "payments", body)
    op.create_index("payments_by_quote", "payments", ["quote_id"])
    op.create_index("payments_by_lease", "payments", ["state", "lease_until"])
    op.create_index("payments_by_time", "payments", ["created_at"])


def _broadcasts() -> None:
    op.create_table(
        "broadcasts",
        sa.Column("key", sa.String(300), sa.ForeignKey("payments.key"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("tx", sa.String(100), unique=True),
        *(_value("raw", sa.LargeBinary), _name("signer"), sa.Column("nonce", sa.BigInteger)),
        *(_name("kind", 8), _value("created_at")),
    )


def _signers() -> None:
    op.create_table("signers", _key("network"), _key("address"), _value("next_nonce"))


def _pauses() -> None:
    texts = (_value("reason", sa.Text), _value("by", sa.Text))
    op.create_table("pauses", _key("rail"), *texts, _value("since"), _value("now", sa.Boolean))


def _payment_events() -> None:
    op.create_table(
        "payment_events",
        sa.Column("seq", SERIAL, primary_key=True, autoincrement=True),
        *(_value("at"), _name("key", 300), _name("quote_hash"), _name("rail")),
        *(_name("change", 16), _value("reason", sa.Text), _name("tx", 100)),
    )
    op.create_index("payment_events_by_key", "payment_events", ["key", "seq"])
    op.create_index("payment_events_by_quote", "payment_events", ["quote_hash", "seq"])


def _simulated_balances() -> None:
    keys = map(_key, ("network", "asset", "account"))
    op.create_table("simulated_balances", *keys, _value("amount", sa.Text))


def _simulated_transfers() -> None:
    op.create_table(
        "simulated_transfers",
        *(_key("network"), _key("tx", 100), *map(_name, ("asset", "payer", "payee")), _value("amount", sa.Text)),
        *(_name("nonce", 200), _value("data", sa.Text), _value("at")),
    )
    op.create_index(
        "simulated_transfers_one_a_nonce", "simulated_transfers", ["network", "payer", "nonce"], unique=True
    )


def _key(name: str, length: int = 64) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), primary_key=True)


def _name(name: str, length: int = 64) -> sa.Column[str]:
    return sa.Column(name, sa.String(length), nullable=False)


def _value(name: str, type_: Type = sa.BigInteger) -> sa.Column[Any]:
    return sa.Column(name, type_, nullable=False)


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
