"""``citepress payments status``: every open rail with its health, its price and its pause."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from citepress.base.clock import unix_now
from citepress.cli.console import say, unlogged
from citepress.cli.json_output import write_json
from citepress.content.validation_messages import dotted
from citepress.settings import from_environment
from citepress_payments.admin import PaymentAdmin, open_payment_checks, open_payment_service
from citepress_payments.cli.options import MAX_LEDGER_ROWS, Content, Json, State, declared_terms, moment
from citepress_payments.configuration import ClosedRail, warnings
from citepress_payments.fees import dollars, percent
from citepress_payments.open_rails import OpenRail
from citepress_payments.ports.prices import PriceError
from citepress_payments.ports.rows import AWAITED, MISSING, Pause
from citepress_payments.ports.rows import State as Stage
from citepress_payments.price_oracle import WHOLE_BPS
from citepress_payments.settlement import UNMATCHED
from citepress_payments.setup import PaymentSystem

MEMBERS = ("rail", "driver", "network", "pay_to", "available", "reason", "price", "health", "fee", "pause")
"""What is said of a rail, in this order."""


def status(content: Content = Path(), *, state: State = None, json: Json = False) -> int:
    """Check every open rail: its chain, gas, price and pause. The exit code is 1 where one takes no new quotes."""
    settings = from_environment(content, state=state)
    declared = declared_terms(settings)
    with unlogged(), open_payment_checks(settings) as stores, open_payment_service(declared, stores) as sold:
        rows = [*(_rail(sold, rail) for rail in sold.rails.all), *map(_closed, sold.rails.closed)]
        report = {"networks": declared.networks, "rails": rows, **_figures(stores)}
        odd = warnings(sold.configuration)
    if json:
        write_json({**report, "warnings": odd})
    else:
        _say(report, odd)
    return 0 if all(row["available"] for row in rows) else 1


def _say(report: Mapping[str, Any], odd: Iterable[str]) -> None:
    for row in report["rails"]:
        say(
            f"{row['rail']:<16} {'open' if row['available'] else 'CLOSED':<7} {row['driver']:<12} {row['network']} ->"
            f" {row['pay_to']}"
        )
        for name in ("reason", "pause", "health", "fee", "price"):
            if row[name]:
                say(f"{'':<16} {name}: {row[name]}")
    for sentence in odd:
        say(f"warning: {sentence}")
    say(
        f'{len(report["rails"])} rails under networks = "{report["networks"]}"; {report["undecided"]} payments are sent'
        f" and not decided, {report['not_final']} sales not final."
    )
    unpaid = ", ".join(
        f"{name} {unpaid_quotes['quotes']} in {unpaid_quotes['bytes']:,} bytes"
        for name, unpaid_quotes in report["unpaid_quotes"].items()
    )
    say(f"Unpaid quotes: {unpaid}.")
    if report["undone"]:
        say(f"{report['undone']} sales were undone by a reorganisation: citepress payments ledger --missing")
    if report["unmatched"]:
        say(f"{report['unmatched']} transfers bought nothing: citepress payments refunds")


def _figures(stores: PaymentAdmin) -> dict[str, Any]:
    """What is under way, and what quotes take that nobody has paid."""
    ledger = stores.ledger
    return {
        "undecided": len(ledger.payments(states=[Stage.SENT], most=MAX_LEDGER_ROWS)),
        "not_final": len(ledger.payments(finality=AWAITED, most=MAX_LEDGER_ROWS)),
        "undone": len(ledger.payments(finality=MISSING, most=MAX_LEDGER_ROWS)),
        "unmatched": len(ledger.events(change=UNMATCHED, most=MAX_LEDGER_ROWS)),
        "unpaid_quotes": {
            name: {"quotes": unpaid.quotes, "bytes": unpaid.bytes} for name, unpaid in ledger.unpaid().items()
        },
    }


def _rail(sold: PaymentSystem, rail: OpenRail) -> dict[str, Any]:
    """A rail as its health, its price and its pause are now."""
    reason, pause, price = sold.rails.unavailable_reason(rail), sold.rails.paused(rail), ""
    least = min(sold.configuration.prices.values())
    try:
        amount, source = rail.amount(least, unix_now())
        price = f"{dollars(least)} USD = {amount} units{f' ({source})' if source else ''}"
    except PriceError as error:
        reason = reason or str(error)
    return {
        "rail": rail.slug,
        "driver": rail.opened.settings.driver,
        "network": rail.opened.place.network,
        "pay_to": rail.opened.pay_to,
        "available": not reason,
        "reason": "" if pause else reason,
        "price": price,
        "health": rail.health.note if rail.health else "",
        "fee": _fee(rail, least),
        "pause": _paused(pause) if pause else "",
    }


def _paused(pause: Pause) -> str:
    until = f", until {moment(pause.until)}" if pause.until else ""
    refused = ", open quotes refused" if pause.now else ""
    return f"{pause.reason} (by {pause.by}, since {moment(pause.since)}{until}{refused})"


def _fee(rail: OpenRail, usd_micros: int) -> str:
    """What a settlement costs us, beside the cheapest product."""
    fee, coin = rail.fees.last if rail.fees else None, rail.opened.rail.coin
    if fee is None or rail.fees is None:
        return ""
    if fee.usd_micros is None:
        return f"{fee.units} smallest units of {coin} ({fee.reason})"
    share = fee.usd_micros * WHOLE_BPS // usd_micros
    return (
        f"{dollars(fee.usd_micros)} USD, {percent(share)} % of {dollars(usd_micros)} USD;"
        f" {percent(rail.fees.share_bps)} % are allowed"
    )


def _closed(rail: ClosedRail) -> dict[str, Any]:
    """A rail that cannot open, with its reason."""
    opened, reason = rail.opened, f"{dotted(rail.location)}: {rail.reason}"
    members = {"driver": opened.settings.driver, "network": opened.place.network} if opened else {}
    return {**dict.fromkeys(MEMBERS, ""), "rail": rail.slug, "available": False, "reason": reason, **members}
