"""Payments that a foreign x402 facilitator verifies and sends; only our own reading of the chain ends them."""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

from citepress.base import clock as house_clock
from citepress.base.outgoing import OutgoingError
from citepress_payments.chains.exact_driver import ExactDriver, Sender
from citepress_payments.chains.jsonrpc import UnreachableError
from citepress_payments.chains.nodes import host_of, reader_of
from citepress_payments.chains.reader import ChainReader, TransferState
from citepress_payments.drivers import DriverContext
from citepress_payments.families import family_of
from citepress_payments.json_client import UNKNOWN, JsonClient
from citepress_payments.ports.chain import Driver, Health, JournalWrite, PaymentRefused, Pending, Plan, Sent, Verified
from citepress_payments.ports.prices import ProbePoint
from citepress_payments.ports.rows import Json, PaymentEntry
from citepress_payments.senders.facilitator_auth import authorization

FACILITATOR_TIMEOUT_S = 30.0
MAX_FACILITATOR_BYTES = 64 * 1024
RESEND_AFTER_S = 15.0
"""Seconds after which a payment that the chain does not know yet is handed in again: the first answer may have been
lost."""
MAX_HINTS = 4096
SERVER_FAULT = 500
_REASON = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
log = logging.getLogger(__name__)


def driver(context: DriverContext) -> Driver:
    """The driver of a rail behind a facilitator.

    Raises ``DriverMissingError`` for an address or a secret that may not be used.
    """
    opened = context.opened
    host = host_of(opened, FACILITATOR_TIMEOUT_S, MAX_FACILITATOR_BYTES, authorization(context))
    reader = reader_of(opened, context.clock)
    return ExactDriver(reader, FacilitatorSender(host, reader, context.probe, context.listing), context.probe)


class FacilitatorSender(Sender):
    """Hands payments to a facilitator; what it answers is only a hint."""

    def __init__(
        self, host: JsonClient, reader: ChainReader, probe: ProbePoint, listing: Callable[[PaymentEntry], Json]
    ) -> None:
        """``listing``: what a catalogue may list of an entry."""
        self._host, self._reader, self._probe, self._listing = host, reader, probe, listing
        self._hints: dict[str, tuple[float, str]] = {}
        self._lock = Lock()

    def verify(self, entry: PaymentEntry, payload: Json) -> Verified | PaymentRefused:
        """What the facilitator answers to ``/verify``."""
        try:
            status, answer = self._host.post(self._request(entry, payload), "/verify")
        except OutgoingError as away:
            raise UnreachableError(str(away)) from None
        payer = self._reader.payer(entry, payload)
        # It does not know us, which says nothing about the payment: the rail is away, and the buyer is not refused.
        if status in UNKNOWN:
            raise UnreachableError(f"{self._host.name} answered {status}: it does not take our facilitator_auth")
        valid = answer.get("isValid") if isinstance(answer, Mapping) else None
        if status >= SERVER_FAULT or not isinstance(answer, Mapping) or not isinstance(valid, bool):
            raise UnreachableError(f"{self._host.name} answered {status} in an unknown shape")
        if not valid:
            reason = answer.get("invalidReason")
            # Buyers are shown it, so nothing but a code passes.
            is_code = isinstance(reason, str) and _REASON.fullmatch(reason)
            return PaymentRefused(str(reason) if is_code else "invalid_payload", payer=payer)
        # What it says of another payer it says of another payment.
        if not _is_payer(answer.get("payer"), payer):
            raise UnreachableError(f"{self._host.name} names another payer")
        return Verified(payer)

    def send(self, entry: PaymentEntry, payload: Json, journal: JournalWrite) -> None:
        """Journal that somebody else sends, then hand the payment in."""
        # Before the request: an answer that is lost must not leave a payment of which nobody knows.
        journal(Plan(str(entry["network"]), "", 0, None))
        self._probe("journal")
        self._hand_in(entry, payload)
        self._probe("broadcast")

    def transactions(self, entry: PaymentEntry, payload: Json, sent: Sequence[Sent]) -> Sequence[str]:
        """What the facilitator named."""
        del sent
        hint = self._hint(entry, payload)[1]
        return [hint] if hint else []

    def pursue(
        self,
        entry: PaymentEntry,
        payload: Json,
        state: TransferState,
        sent: Sequence[Sent],
        journal: JournalWrite | None,
    ) -> Pending:
        """Hand the payment in again where the chain does not know it after a while."""
        handed_in_at, hint = self._hint(entry, payload)
        is_due = house_clock.seconds() - handed_in_at >= RESEND_AFTER_S
        if journal and sent and not state.tx and is_due and self._reader.in_time(entry, payload):
            self._hand_in(entry, payload)
            hint = self._hint(entry, payload)[1]
        return Pending(state.tx or hint, self._reader.payer(entry, payload))

    def _hand_in(self, entry: PaymentEntry, payload: Json) -> None:
        """``POST /settle``; a transaction that it names is only a place to look first."""
        # The time is noted first, so that a facilitator that never answers is not asked at every look.
        self._remember(entry, payload, "")
        try:
            status, answer = self._host.post(self._request(entry, payload), "/settle")
        except OutgoingError as away:
            log.warning("a settlement was not answered: %s", away)
            return
        hint = self._settled(answer, entry, payload)
        if hint:
            self._remember(entry, payload, hint)
        else:
            log.warning(
                "%s answered %s to a settlement without a transaction that can be used", self._host.name, status
            )

    def _settled(self, answer: object, entry: PaymentEntry, payload: Json) -> str:
        """The transaction in a SettleResponse that fits the payment; empty where there is none."""
        if not isinstance(answer, Mapping) or not isinstance(answer.get("success"), bool):
            return ""
        network, tx = str(entry["network"]), answer.get("transaction")
        fits = answer.get("network") == network and _is_payer(answer.get("payer"), self._reader.payer(entry, payload))
        return family_of(network).canonical_transaction(tx) if fits and isinstance(tx, str) else ""

    def health(self) -> Health:
        """Whether the facilitator serves the scheme on the rail's network."""
        try:
            status, answer = self._host.get("/supported")
        except OutgoingError as away:
            return Health(available=False, reason=str(away))
        if status in UNKNOWN:
            return Health(
                available=False, reason=f"{self._host.name} answered {status}: it does not take our facilitator_auth"
            )
        kind = _kind(answer, self._reader.network)
        if kind is None or not self._reader.accepts_kind(kind):
            return Health(
                available=False,
                reason=f"{self._host.name} answered {status} and does not serve exact on {self._reader.network}",
            )
        return Health(available=True)

    def _request(self, entry: PaymentEntry, payload: Json) -> dict[str, Any]:
        return request_body(entry, self._reader.canonical_payload(entry, payload), self._listing(entry))

    def _hint(self, entry: PaymentEntry, payload: Json) -> tuple[float, str]:
        """When this process handed the payment in last, and the transaction that was named then."""
        with self._lock:
            return self._hints.get(self._reader.key(entry, payload), (float("-inf"), ""))

    def _remember(self, entry: PaymentEntry, payload: Json, hint: str) -> None:
        key = self._reader.key(entry, payload)
        with self._lock:
            # A hint only saves a search, so the oldest may be forgotten.
            while len(self._hints) >= MAX_HINTS:
                del self._hints[next(iter(self._hints))]
            earlier = self._hints.pop(key, (0.0, ""))[1]
            self._hints[key] = (house_clock.seconds(), hint or earlier)


def request_body(entry: PaymentEntry, payload: Json, listing: Json) -> dict[str, Any]:
    """The body of ``/verify`` and ``/settle``.

    It holds our own entry and what a catalogue may list of it, and nothing that the buyer added.
    """
    payment_payload = {"x402Version": 2, "accepted": entry, "payload": payload, **listing}
    return {"x402Version": 2, "paymentPayload": payment_payload, "paymentRequirements": entry}


def _is_payer(name: object, payer: str) -> bool:
    """Whether a payer that was named, if one was, is ours."""
    return name is None or (isinstance(name, str) and name.lower() == payer.lower())


def _kind(answer: object, network: str) -> Mapping[str, Any] | None:
    """The kind of ``/supported`` for our scheme and network."""
    kinds = answer.get("kinds") if isinstance(answer, Mapping) else None
    wanted = (2, "exact", network)
    for kind in kinds if isinstance(kinds, list) else []:
        if isinstance(kind, Mapping) and (kind.get("x402Version"), kind.get("scheme"), kind.get("network")) == wanted:
            return kind
    return None
