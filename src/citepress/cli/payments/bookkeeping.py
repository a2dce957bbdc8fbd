"""Payments as a bookkeeper wants them: one row a payment, integers of the smallest unit, moments in UTC."""

import csv
import io
import json
from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

from citepress.cli.payments.options import moment
from citepress.payments.ports import Payment, State
from citepress.payments.rails import BY_SLUG

COLUMNS = (
    "decided_at", "created_at", "state", "finality", "product", "rail", "network", "asset", "symbol", "decimals", "amount", "usd_micros",
    "fee", "fee_coin", "transaction", "payer", "reason", "key",
)  # fmt: skip
"""``amount`` is in the smallest unit of the asset, ``usd_micros`` in millionths of a US dollar at the sale, ``fee`` what we paid in the coin's."""


def as_csv(payments: Iterable[Payment]) -> bytes:
    """RFC 4180, oldest last, with a header row."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(map(_row, payments))
    return text.getvalue().encode()


def second_of(day: date | None) -> int:
    """The first second of a day; 0 for none."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) if day else 0


def _row(one: Payment) -> dict[str, Any]:
    response: dict[str, Any] = json.loads(one.response) if one.response else {}
    rail, settled = BY_SLUG.get(one.rail), one.state is State.SETTLED
    network = str(response.get("network", ""))
    place = next((place for place in (rail.main, rail.test) if place and place.network == network), None) if rail else None
    return {
        "decided_at": moment(one.updated_at) if one.response else "", "created_at": moment(one.created_at), "state": str(one.state),
        "finality": one.finality, "product": one.product, "rail": one.rail, "network": network, "asset": place.asset if place else "",
        "symbol": rail.symbol if rail else "", "decimals": rail.decimals if rail else "", "amount": response.get("amount", ""),
        "usd_micros": one.usd_micros if settled else "", "fee": one.fee, "fee_coin": rail.coin if rail else "",
        "transaction": one.tx or response.get("transaction", ""), "payer": one.payer, "reason": one.reason, "key": one.key,
    }  # fmt: skip
