"""Terms of a sale: entries of ``accepts``, the hash that binds them, and the commitment to the result."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from citepress.base.canonical import base64url, canonical_bytes, digest
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.ports.rows import Json, PaymentEntry
from citepress_payments.rails.rail import Authorization, Lane

TERMS_VERSION = "citepress-terms-1"
UNHASHED = ("termsHash", "data", "memo")
"""Members of ``extra`` that carry the hash, and so are not part of it."""
QUOTE_BYTES, SALT_BYTES = 16, 32
_HEX = re.compile(r"0[xX][0-9a-fA-F]+")


@dataclass(frozen=True, slots=True)
class TermsInput:
    """What all entries of a quote share."""

    quote_id: str
    product: str
    body_sha256: str
    commitment: str
    now: int
    usd: str
    """The price as the configuration writes it."""


def quote_id(random: bytes) -> str:
    """The id of a quote, from sixteen random bytes.

    It is a secret that makes replay safe, because everything else is public on the chain.
    """
    return "q_" + base64url(random)


def commitment(salt: bytes, result: bytes) -> str:
    """``0x`` and SHA-256 of salt and result.

    The salt keeps a guessable result from being found out before it is paid.
    """
    return "0x" + digest(salt + result)


def entry(opened: ConfiguredRail, inputs: TermsInput, amount: int, extra: Json) -> dict[str, Any]:
    """One member of ``accepts`` for a rail.

    ``extra`` is what its driver adds, and ``amount`` is in the smallest unit.
    """
    life = opened.life
    entry_: dict[str, Any] = {
        "scheme": opened.rail.scheme,
        "network": opened.place.network,
        "asset": opened.place.asset,
        "amount": str(amount),
        "payTo": opened.pay_to,
        "maxTimeoutSeconds": life,
        "extra": {**_own(opened, inputs), **extra},
    }
    if opened.testnet:
        entry_["extra"]["testnet"] = True
    entry_["extra"]["termsHash"] = terms_hash(entry_, inputs.product)
    entry_["extra"].update(_carrier(opened, entry_["extra"]["termsHash"]))
    return entry_


def _own(opened: ConfiguredRail, inputs: TermsInput) -> dict[str, Any]:
    """The members of ``extra`` that the rail and the deal give."""
    rail, place = opened.rail, opened.place
    members: dict[str, Any] = {}
    if place.name:
        members |= {"name": place.name, "version": place.version}
    if rail.lane is Lane.NATIVE:
        members["paymentFlow"] = "upfront"
    if rail.authorization is not Authorization.SVM:
        members["assetTransferMethod"] = str(rail.authorization)
    members["rail"] = rail.slug
    if rail.lane is not Lane.FIXED:
        members["usd"] = inputs.usd
    members |= {"quoteId": inputs.quote_id, "bodySha256": inputs.body_sha256, "resultCommitment": inputs.commitment}
    members["expiresAt"] = inputs.now + opened.life
    return {**members, "finality": opened.finality} if rail.lane is Lane.NATIVE else members


def _carrier(opened: ConfiguredRail, hashed: str) -> dict[str, str]:
    """How the buyer's transaction carries the terms hash, where it can."""
    family = opened.place.family
    return family.native_carrier(hashed) if opened.rail.lane is Lane.NATIVE else family.token_carrier(hashed)


def terms_hash(entry_: PaymentEntry, product: str) -> str:
    """``0x`` and SHA-256 of the RFC 8785 form of an entry without its carriers, with product and name of this rule."""
    extra = {name: value for name, value in entry_["extra"].items() if name not in UNHASHED}
    return "0x" + digest(canonical_bytes({**entry_, "extra": extra, "product": product, "terms": TERMS_VERSION}))


def chosen_entry(accepted: Json, entries: Iterable[PaymentEntry]) -> PaymentEntry | None:
    """Our own entry that the buyer sent back: equal by value, in whatever order; ``None`` where nothing is equal."""
    # Ours is given back and never the buyer's: what is equal by value may be in another order.
    wanted = canonical_bytes(accepted)
    return next((candidate for candidate in entries if canonical_bytes(candidate) == wanted), None)


def evidence(payload: Json) -> str:
    """The proof of a payment in one spelling: RFC 8785, hexadecimal strings in lower case."""
    return canonical_bytes(_lowered(payload)).decode()


def _lowered(value: Any) -> Any:  # noqa: ANN401  (JSON is any shape)
    if isinstance(value, dict):
        return {name: _lowered(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_lowered(member) for member in value]
    # Wallets write hexadecimal in either case, and one proof has to have one digest.
    return value.lower() if isinstance(value, str) and _HEX.fullmatch(value) else value
