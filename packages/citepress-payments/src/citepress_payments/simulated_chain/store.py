"""The simulated chain in a database: its own tables and transactions make a crash before the ledger real."""

import sqlalchemy as sa

from citepress.stores.sql.database import Database
from citepress_payments.ports.rows import Json
from citepress_payments.simulated_chain.chain import canonical, opening_balance
from citepress_payments.stores.payment_rows import hold, insert_or_renew
from citepress_payments.stores.payment_tables import METADATA, key, short, value

SIMULATED_BALANCES = sa.Table(
    "simulated_balances", METADATA, *map(key, ("network", "asset", "account")), value("amount", sa.Text)
)
"""Units that an account of the simulated chain holds, once they differ from what it began with."""

SIMULATED_TRANSFERS = sa.Table(
    "simulated_transfers",
    METADATA,
    key("network"),
    key("tx", 100),
    *map(short, ("asset", "payer", "payee")),
    value("amount", sa.Text),
    short("nonce", 200),
    value("data", sa.Text),
    value("at"),
    sa.Index("simulated_transfers_one_a_nonce", "network", "payer", "nonce", unique=True),
)
"""Transfers of the simulated chain; its blocks are the seconds of ``at``."""


class SqlSimulatedChain:
    """Balances, used nonces and native transfers.

    Hexadecimal names are lower case inside. All methods raise ``StoreUnavailable``.
    """

    def __init__(self, database: Database) -> None:
        """On a migrated database."""
        self.database = database

    def balance(self, network: str, asset: str, account: str) -> int:
        """Units held; seeded for the published test buyer."""
        with self.database.reading() as connection:
            return _balance(connection, network, canonical(asset), canonical(account))

    def transfer(  # noqa: PLR0913, PLR0917  (a transfer has these parts)
        self, network: str, asset: str, payer: str, payee: str, amount: int, nonce: str, tx: str, data: str, now: int
    ) -> str:
        """Move units once per (network, payer, nonce) and return the transaction id; idempotent for the same ``tx``.

        A nonce carries its scope, ``<contract>|<nonce>``: tokens, Permit2 and the account itself count apart.
        Raises ``ValueError`` with a code: ``insufficient_funds``, ``nonce_already_used``.
        """
        asset, payer, payee, tx, nonce = (canonical(name) for name in (asset, payer, payee, tx, nonce))
        if amount < 0:
            raise ValueError("negative_amount")
        row = {
            "network": network,
            "tx": tx,
            "asset": asset,
            "payer": payer,
            "payee": payee,
            "amount": str(amount),
            "nonce": nonce,
        }
        with self.database.writing() as connection:
            hold(self.database, connection, f"simulated {network}")
            # Before the nonce: what is sent again after a crash is no second use of it.
            if connection.execute(_transfer(network, SIMULATED_TRANSFERS.c.tx == tx)).first():
                return tx
            if connection.execute(
                _transfer(network, (SIMULATED_TRANSFERS.c.payer == payer) & (SIMULATED_TRANSFERS.c.nonce == nonce))
            ).first():
                raise ValueError("nonce_already_used")
            if _balance(connection, network, asset, payer) < amount:
                raise ValueError("insufficient_funds")
            _add(self.database, connection, (network, asset, payer), -amount)
            _add(self.database, connection, (network, asset, payee), amount)
            connection.execute(SIMULATED_TRANSFERS.insert().values(row | {"data": data, "at": now}))
        return tx

    def used(self, network: str, payer: str, nonce: str) -> str | None:
        """The transaction that used a nonce."""
        mine = (SIMULATED_TRANSFERS.c.payer == canonical(payer)) & (SIMULATED_TRANSFERS.c.nonce == canonical(nonce))
        with self.database.reading() as connection:
            row = connection.execute(_transfer(network, mine)).first()
        return None if row is None else str(row.tx)

    def transaction(self, network: str, tx: str) -> Json | None:
        """``from``, ``to``, ``asset``, ``value`` (decimal text), ``data`` and ``at`` of a transfer."""
        with self.database.reading() as connection:
            row = connection.execute(_transfer(network, SIMULATED_TRANSFERS.c.tx == canonical(tx))).first()
        if row is None:
            return None
        return {
            "from": row.payer,
            "to": row.payee,
            "asset": row.asset,
            "value": row.amount,
            "data": row.data,
            "at": row.at,
        }


def _transfer(network: str, which: sa.ColumnElement[bool]) -> sa.Select[tuple[object, ...]]:
    return SIMULATED_TRANSFERS.select().where(SIMULATED_TRANSFERS.c.network == network, which)


def _balance(connection: sa.Connection, network: str, asset: str, account: str) -> int:
    table = SIMULATED_BALANCES.c
    mine = (table.network == network) & (table.asset == asset) & (table.account == account)
    amount = connection.scalar(sa.select(table.amount).where(mine))
    return opening_balance(network, asset, account) if amount is None else int(amount)


def _add(database: Database, connection: sa.Connection, holding: tuple[str, str, str], units: int) -> None:
    network, asset, account = holding
    amount = str(_balance(connection, network, asset, account) + units)
    values = {"network": network, "asset": asset, "account": account, "amount": amount}
    connection.execute(insert_or_renew(database, SIMULATED_BALANCES, values, "amount"))
