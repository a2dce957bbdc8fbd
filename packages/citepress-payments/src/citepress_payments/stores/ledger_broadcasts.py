"""The ledger's journal: what is sent for a payment, with signer nonces that leave no gap."""

import sqlalchemy as sa

from citepress.stores.sql.database import Database
from citepress_payments.ports.chain import Plan, Sent, Signed
from citepress_payments.stores.payment_rows import insert_or_renew, sent_of
from citepress_payments.stores.payment_tables import BROADCASTS, SIGNERS


def broadcast(database: Database, connection: sa.Connection, key: str, plan: Plan, now: int) -> Sent:
    """Allocate a nonce, sign and write it down in one transaction; what is written already is returned unchanged.

    The caller holds the signer's name.
    """
    # After a crash the same transaction is journaled again: the row that is there keeps its time and its place.
    if plan.tx and (
        row := connection.execute(
            BROADCASTS.select().where(BROADCASTS.c.key == key, BROADCASTS.c.tx == plan.tx)
        ).first()
    ):
        return sent_of(row)
    nonce = _nonce(database, connection, plan) if plan.signer else None
    signed = plan.build(nonce) if plan.build and nonce is not None else Signed(plan.tx, plan.raw)
    last = connection.scalar(sa.select(sa.func.max(BROADCASTS.c.seq)).where(BROADCASTS.c.key == key)) or 0
    sent = Sent(last + 1, signed.tx, signed.raw, plan.signer, nonce, plan.kind, now)
    values = {"key": key, "seq": sent.seq, "tx": sent.tx or None, "raw": sent.raw, "signer": sent.signer}
    connection.execute(BROADCASTS.insert().values(values | {"nonce": nonce, "kind": sent.kind, "created_at": now}))
    return sent


def _nonce(database: Database, connection: sa.Connection, plan: Plan) -> int:
    """The nonce that the plan names, or the next one: ours or the chain's, whichever is further."""
    if plan.nonce is not None:
        return plan.nonce
    mine = {"network": plan.network, "address": plan.signer.lower()}
    stored = sa.select(SIGNERS.c.next_nonce).where(
        SIGNERS.c.network == mine["network"], SIGNERS.c.address == mine["address"]
    )
    # Neither alone is enough: nodes forget what waits, and others may have used the account.
    nonce = max(connection.scalar(stored) or 0, plan.pending_nonce)
    connection.execute(insert_or_renew(database, SIGNERS, mine | {"next_nonce": nonce + 1}, "next_nonce"))
    return nonce
