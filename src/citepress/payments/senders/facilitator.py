"""Payments that a foreign x402 facilitator verifies and sends; only our own reading of the chain ends them."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from citepress.base import clock as house_clock
from citepress.payments.chains.families import ChainFamily, family_of
from citepress.payments.chains.jsonrpc import RefusedError, UnreachableError
from citepress.payments.chains.nodes import host_of
from citepress.payments.drivers import DriverContext
from citepress.payments.json_client import UNKNOWN, JsonClient, PostError
from citepress.payments.ports import (
    CannotSucceed,
    Driver,
    Entry,
    Health,
    Identity,
    Journal,
    Json,
    Paid,
    PaymentRefused,
    Pending,
    Plan,
    Probe,
    Proven,
    Sent,
    Undecided,
    Unreachable,
    Verified,
)
from citepress.payments.senders.facilitator_auth import authorization

SECONDS = 30.0
MOST_BYTES = 64 * 1024
AGAIN = 15.0
"""Seconds after which a payment that the chain does not know yet is handed in again: the first answer may have been lost."""
MOST_HINTS = 4096
SERVER_FAULT = 500
_REASON = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
log = logging.getLogger(__name__)


def driver(materials: DriverContext) -> Driver:
    """The driver of a rail behind a facilitator. Raises ``DriverMissingError`` for an address or a secret that may not be used."""
    opened = materials.opened
    return Facilitated(
        host_of(opened, SECONDS, MOST_BYTES, authorization(materials)),
        family_of(opened, materials.clock),
        materials.probe,
        materials.listing,
    )


class Facilitated:
    """Fills ``payments.ports.Driver``."""

    def __init__(self, host: JsonClient, side: ChainFamily, probe: Probe, listing: Callable[[Entry], Json]) -> None:
        """``side`` is what depends on the family of the chain; ``listing`` what a catalogue may list of an entry."""
        self._host, self._side, self._probe, self._listing = host, side, probe, listing
        self._hints: dict[str, tuple[float, str]] = {}
        self._lock = Lock()

    def identify(self, entry: Entry, payload: Json) -> Identity | PaymentRefused:
        """Shape, canonical key and payer."""
        return self._side.identify(entry, payload)

    def check(self, entry: Entry, payload: Json, now: int) -> Proven | Undecided | PaymentRefused:
        """What can be told without the chain."""
        return self._side.check(entry, payload, now)

    def verify(self, entry: Entry, payload: Json) -> Verified | PaymentRefused | Pending | Unreachable:
        """What the chain knows of it already, and then what the facilitator says."""
        try:
            if known := self._side.known(entry, payload):
                return known
            status, told = self._host.post(asked(entry, self._side.plain(entry, payload), self._listing(entry)), "/verify")
        except (PostError, UnreachableError, RefusedError) as away:
            return Unreachable(str(away))
        return self._read(status, told, entry, payload)

    def _read(self, status: int, told: object, entry: Entry, payload: Json) -> Verified | PaymentRefused | Unreachable:
        """The answer to ``/verify``."""
        payer = self._side.payer(entry, payload)
        valid = told.get("isValid") if isinstance(told, Mapping) else None
        if status in UNKNOWN:
            return Unreachable(f"{self._host.name} answered {status}: it does not take our facilitator_auth")
        if status >= SERVER_FAULT or not isinstance(told, Mapping) or not isinstance(valid, bool):
            return Unreachable(f"{self._host.name} answered {status} in an unknown shape")
        if not valid:
            reason = told.get("invalidReason")
            return PaymentRefused(reason if isinstance(reason, str) and _REASON.fullmatch(reason) else "invalid_payload", payer=payer)
        if not _same(told.get("payer"), payer):
            return Unreachable(f"{self._host.name} names another payer")
        return Verified(payer)

    def send(self, entry: Entry, payload: Json, journal: Journal) -> None:
        """Journal that somebody else sends, then hand the payment in."""
        journal(Plan(str(entry["network"]), "", 0, None))
        self._probe("journal")
        self._hand_in(entry, payload)
        self._probe("broadcast")

    def confirm(self, entry: Entry, payload: Json, sent: Sequence[Sent], journal: Journal) -> Paid | Pending | CannotSucceed | Unreachable:
        """The same at the finality that nothing undoes."""
        return self._looked(entry, payload, sent, journal, final=True)

    def reconcile(
        self, entry: Entry, payload: Json, sent: Sequence[Sent], journal: Journal | None
    ) -> Paid | Pending | CannotSucceed | Unreachable:
        """The chain's truth; what it does not know after a while is handed in again."""
        return self._looked(entry, payload, sent, journal, final=False)

    def _looked(
        self, entry: Entry, payload: Json, sent: Sequence[Sent], journal: Journal | None, *, final: bool
    ) -> Paid | Pending | CannotSucceed | Unreachable:
        at, hint = self._hint(entry, payload)
        try:
            told = self._side.look(entry, payload, [hint] if hint else [], final=final)
        except (UnreachableError, RefusedError) as away:
            return Unreachable(str(away))
        if not isinstance(told, Pending):
            self._probe("receipt")
            return told
        if journal and sent and not told.tx and house_clock.seconds() - at >= AGAIN and self._side.in_time(entry, payload):
            self._hand_in(entry, payload)
            hint = self._hint(entry, payload)[1]
        return Pending(told.tx or hint, told.payer)

    def _hand_in(self, entry: Entry, payload: Json) -> None:
        """``POST /settle``; a transaction that it names is only a place to look first."""
        self._remember(entry, payload, "")
        try:
            status, told = self._host.post(asked(entry, self._side.plain(entry, payload), self._listing(entry)), "/settle")
        except PostError as away:
            log.warning("a settlement was not answered: %s", away)
            return
        if hint := self._settled(told, entry, payload):
            self._remember(entry, payload, hint)
        else:
            log.warning("%s answered %s to a settlement without a transaction that can be used", self._host.name, status)

    def _settled(self, told: object, entry: Entry, payload: Json) -> str:
        """The transaction in a SettleResponse that fits the payment; empty where there is none."""
        if not isinstance(told, Mapping) or not isinstance(told.get("success"), bool):
            return ""
        tx = told.get("transaction")
        fits = told.get("network") == entry["network"] and _same(told.get("payer"), self._side.payer(entry, payload))
        return self._side.named(tx) if fits and isinstance(tx, str) else ""

    def health(self) -> Health:
        """Our own view of the chain, and that the facilitator serves the scheme there."""
        try:
            if reason := self._side.fault():
                return Health(available=False, reason=reason)
            status, told = self._host.get("/supported")
        except (PostError, UnreachableError, RefusedError) as away:
            return Health(available=False, reason=str(away))
        if status in UNKNOWN:
            return Health(available=False, reason=f"{self._host.name} answered {status}: it does not take our facilitator_auth")
        kind = _kind(told, self._side.network)
        if kind is None or not self._side.served(kind):
            return Health(available=False, reason=f"{self._host.name} answered {status} and does not serve exact on {self._side.network}")
        return Health(available=True)

    def fee(self) -> int | Unreachable | None:
        """The facilitator pays it."""
        return None

    def extra(self) -> Json:
        """What the facilitator's kind asks entries to carry (``feePayer`` on Solana). Raises ``LookupError`` before it is known."""
        return self._side.extra()

    def _hint(self, entry: Entry, payload: Json) -> tuple[float, str]:
        """When the payment was handed in last by this process, and the transaction that was named then."""
        with self._lock:
            return self._hints.get(self._side.key(entry, payload), (float("-inf"), ""))

    def _remember(self, entry: Entry, payload: Json, hint: str) -> None:
        key = self._side.key(entry, payload)
        with self._lock:
            while len(self._hints) >= MOST_HINTS:
                del self._hints[next(iter(self._hints))]
            known = self._hints.pop(key, (0.0, ""))[1]
            self._hints[key] = (house_clock.seconds(), hint or known)


def asked(entry: Entry, payload: Json, listing: Json) -> dict[str, Any]:
    """The body of ``/verify`` and ``/settle``: our own entry and what a catalogue may list of it, and nothing that the buyer added."""
    told = {"x402Version": 2, "accepted": entry, "payload": payload, **listing}
    return {"x402Version": 2, "paymentPayload": told, "paymentRequirements": entry}


def _same(told: object, payer: str) -> bool:
    """Whether a payer that was named, if one was, is ours."""
    return told is None or (isinstance(told, str) and told.lower() == payer.lower())


def _kind(told: object, network: str) -> Mapping[str, Any] | None:
    """The kind of ``/supported`` for our scheme and network."""
    kinds = told.get("kinds") if isinstance(told, Mapping) else None
    wanted = (2, "exact", network)
    found = [kind for kind in kinds if isinstance(kind, Mapping)] if isinstance(kinds, list) else []
    return next((kind for kind in found if (kind.get("x402Version"), kind.get("scheme"), kind.get("network")) == wanted), None)
