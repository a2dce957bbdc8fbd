"""Payments as a bookkeeper wants them: one row a payment, integers of the smallest unit, moments in UTC."""

import csv
import io
import json
from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

from citepress_payments.cli.options import moment
from citepress_payments.ports.rows import Payment, State
from citepress_payments.rails import BY_SLUG

BOOK_COLUMNS = (
    "decided_at",
    "created_at",
    "state",
    "finality",
    "product",
    "rail",
    "network",
    "asset",
    "symbol",
    "decimals",
    "amount",
    "usd_micros",
    "fee",
    "fee_coin",
    "transaction",
    "payer",
    "reason",
    "key",
    "fee_reason",
)
"""``amount`` is in the smallest unit of the asset, ``usd_micros`` in millionths of a US dollar at the sale, ``fee``
what we paid in the coin's, empty with ``fee_reason`` where it is unknown."""

COPIED = ("finality", "product", "rail", "fee", "payer", "reason", "key", "fee_reason")
"""Columns that are members of the payment."""


def as_csv(payments: Iterable[Payment]) -> bytes:
    """RFC 4180, oldest last, with a header row."""
    text = io.StringIO()
    writer = csv.DictWriter(text, BOOK_COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(map(_row, payments))
    return text.getvalue().encode()


def second_of(day: date | None) -> int:
    """The first second of a day; 0 for none."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) if day else 0


def _asset(slug: str, network: str) -> dict[str, Any]:
    """What a payment was made in; empty for a rail that this version no longer has."""
    rail = BY_SLUG.get(slug)
    if rail is None:
        return dict.fromkeys(("asset", "symbol", "decimals", "fee_coin"), "")
    places = [place for place in (rail.main, rail.test) if place and place.network == network]
    return {
        "asset": places[0].asset if places else "",
        "symbol": rail.symbol,
        "decimals": rail.decimals,
        "fee_coin": rail.coin,
    }


def _row(payment: Payment) -> dict[str, Any]:
    response: dict[str, Any] = json.loads(payment.response) if payment.response else {}
    network = str(response.get("network", ""))
    settled = payment.state is State.SETTLED
    return {
        **{name: getattr(payment, name) for name in COPIED},
        **_asset(payment.rail, network),
        "decided_at": moment(payment.updated_at) if payment.response else "",
        "created_at": moment(payment.created_at),
        "state": str(payment.state),
        "network": network,
        "amount": response.get("amount", ""),
        "usd_micros": payment.usd_micros if settled else "",
        "transaction": payment.tx or response.get("transaction", ""),
    }
