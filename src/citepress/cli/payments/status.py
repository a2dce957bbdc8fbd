"""``citepress payments status``: every open rail with its health, its price and its pause."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from citepress.app.books import PaymentAdmin, open_payment_admin, open_payment_service
from citepress.app.payments import Paying
from citepress.cli.console import say, unlogged
from citepress.cli.payments.options import MOST, Content, Json, State, document, moment, now, told_of
from citepress.content.validation_messages import dotted
from citepress.payments.configuration import ClosedRail, warnings
from citepress.payments.fees import dollars, percent
from citepress.payments.open_rails import OpenRail
from citepress.payments.ports import AWAITED, MISSING, PriceError
from citepress.payments.ports import State as Stage
from citepress.payments.price_oracle import WHOLE_BPS
from citepress.payments.settlement import UNMATCHED
from citepress.settings import from_environment


def status(*, state: State = None, content: Content = Path(), json: Json = False) -> int:
    """Check every open rail: its chain, gas, price and pause. The exit code is 1 where one takes no new quotes."""
    settings = from_environment(content, state=state)
    told = told_of(settings)
    with unlogged(), open_payment_admin(settings) as books, open_payment_service(told, books) as sold:
        rows = [*(_rail(sold, stand) for stand in sold.stands.all), *map(_closed, sold.stands.closed)]
        found = {"networks": told.networks, "rails": rows, **_figures(books)}
        odd = warnings(sold.configuration)
    if json:
        document({**found, "warnings": odd})
    else:
        _say(found, odd)
    return 0 if all(row["available"] for row in rows) else 1


def _say(found: Mapping[str, Any], odd: Iterable[str]) -> None:
    for row in found["rails"]:
        say(f"{row['rail']:<16} {'open' if row['available'] else 'CLOSED':<7} {row['driver']:<12} {row['network']} -> {row['pay_to']}")
        for name in ("reason", "pause", "health", "fee", "price"):
            if row[name]:
                say(f"{'':<16} {name}: {row[name]}")
    for sentence in odd:
        say(f"warning: {sentence}")
    say(
        f'{len(found["rails"])} rails under networks = "{found["networks"]}"; {found["undecided"]} payments are sent and not decided, {found["not_final"]} sales not final.'
    )
    unpaid = ", ".join(f"{name} {one['quotes']} in {one['bytes']:,} bytes" for name, one in found["unpaid_quotes"].items())
    say(f"Unpaid quotes: {unpaid}.")
    if found["undone"]:
        say(f"{found['undone']} sales were undone by a reorganisation: citepress payments ledger --missing")
    if found["unmatched"]:
        say(f"{found['unmatched']} transfers bought nothing: citepress payments refunds")


def _figures(books: PaymentAdmin) -> dict[str, Any]:
    """What is under way, and what quotes take that nobody has paid."""
    ledger = books.ledger
    return {
        "undecided": len(ledger.payments(states=[Stage.SENT], most=MOST)),
        "not_final": len(ledger.payments(finality=AWAITED, most=MOST)),
        "undone": len(ledger.payments(finality=MISSING, most=MOST)),
        "unmatched": len(ledger.events(change=UNMATCHED, most=MOST)),
        "unpaid_quotes": {name: {"quotes": one.quotes, "bytes": one.bytes} for name, one in ledger.unpaid().items()},
    }


def _rail(sold: Paying, stand: OpenRail) -> dict[str, Any]:
    """A rail as its health, its price and its pause are now."""
    reason, pause, price = sold.stands.why_not(stand), sold.stands.paused(stand), ""
    least = min(sold.configuration.prices.values())
    try:
        amount, source = stand.amount(least, now())
        price = f"{dollars(least)} USD = {amount} units{f' ({source})' if source else ''}"
    except PriceError as error:
        reason = reason or str(error)
    return {
        "rail": stand.slug, "driver": stand.opened.settings.driver, "network": stand.opened.place.network, "pay_to": stand.opened.pay_to,
        "available": not reason, "reason": "" if pause else reason, "price": price, "health": stand.health.told if stand.health else "", "fee": _fee(stand, least),
        "pause": f"{pause.reason} (by {pause.by}, since {moment(pause.since)}{f', until {moment(pause.until)}' if pause.until else ''}{', open quotes refused' if pause.now else ''})" if pause else "",
    }  # fmt: skip


def _fee(stand: OpenRail, usd_micros: int) -> str:
    """What a settlement costs us, beside the cheapest product."""
    fee, coin = stand.fees.last if stand.fees else None, stand.opened.rail.coin
    if fee is None or stand.fees is None:
        return ""
    if fee.usd_micros is None:
        return f"{fee.units} smallest units of {coin} ({fee.reason})"
    share = fee.usd_micros * WHOLE_BPS // usd_micros
    return f"{dollars(fee.usd_micros)} USD, {percent(share)} % of {dollars(usd_micros)} USD; {percent(stand.fees.share_bps)} % are allowed"


def _closed(rail: ClosedRail) -> dict[str, Any]:
    """A rail that cannot open, with its reason."""
    opened = rail.opened
    known = {"driver": opened.settings.driver, "network": opened.place.network} if opened else {"driver": "", "network": ""}
    return {
        "rail": rail.slug, **known, "pay_to": "", "available": False, "reason": f"{dotted(rail.location)}: {rail.reason}",
        "price": "", "health": "", "fee": "", "pause": "",
    }  # fmt: skip
