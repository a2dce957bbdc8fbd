"""``citepress payments refunds``: transfers that came and bought nothing; it only reads, and returns nobody's money."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from citepress.app.books import open_payment_admin
from citepress.cli.console import say, unlogged
from citepress.cli.payments.options import MOST, Content, Json, State, document, moment
from citepress.payments.ports import PaymentEvent
from citepress.payments.settlement import UNMATCHED
from citepress.settings import from_environment


def refunds(*, state: State = None, content: Content = Path(), json: Json = False) -> int:
    """List native transfers that were shown to the service and bought nothing: too late, of another amount, or for a quote that was paid.

    You may want to return them; the service does not. A transfer that nobody showed is not known to it.
    """
    with unlogged(), open_payment_admin(from_environment(content, state=state)) as books:
        found = books.ledger.events(change=UNMATCHED, most=MOST)
    if json:
        document([_told(event) for event in found])
        return 0
    for event in found:
        say(f"{moment(event.at)}  {event.rail:<16} {event.reason}  {event.tx}")
    say(f"{len(found)} transfers bought nothing.")
    return 0


def _told(event: PaymentEvent) -> dict[str, Any]:
    kept = {name: value for name, value in asdict(event).items() if name in {"rail", "reason", "tx"}}
    return {"at": moment(event.at), **kept}
