"""``citepress payments``: open the paid lanes, look after them, and try them out; works while the server runs."""

from collections.abc import Callable

from cyclopts import App

from citepress.cli.examples import ending
from citepress_payments.cli import ledger, pausing, refunds, setup, status, trial
from citepress_payments.extension import EXAMPLES

payments = App(
    name="payments", help="Sell compute: open, check, test and pause payment rails.", help_format="plaintext"
)
COMMANDS: dict[str, Callable[..., int]] = {
    "init": setup.init,
    "status": status.status,
    "test": trial.walked,
    "ledger": ledger.ledger,
    "refunds": refunds.refunds,
    "pause": pausing.pause,
}
for _name, _command in COMMANDS.items():
    payments.command(_command, name=_name, help_epilogue=ending(*EXAMPLES[f"payments {_name}"]))

__all__ = ["payments"]
