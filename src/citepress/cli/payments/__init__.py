"""``citepress payments``: open the paid lanes, look after them, and try them out; works while the server runs."""

from cyclopts import App

from citepress.cli.payments import ledger, pausing, refunds, setup, status, trial

payments = App(
    name="payments", help="Sell compute: open, check, test and pause payment rails.", help_format="plaintext"
)
payments.command(setup.init)
payments.command(status.status)
payments.command(trial.walked, name="test")
payments.command(ledger.ledger)
payments.command(refunds.refunds)
payments.command(pausing.pause)

__all__ = ["payments"]
