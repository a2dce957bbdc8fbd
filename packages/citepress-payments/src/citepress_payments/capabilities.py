"""What can be bought here, for how much and over which rails: read for nothing, right before paying."""

from dataclasses import dataclass

from pydantic import Field

from citepress.contract.model import Model, Moment
from citepress.contract.version import SCHEMA_VERSION
from citepress_payments import wire
from citepress_payments.quote_lifetime import NATIVE_CLAIM_S
from citepress_payments.rails import Lane
from citepress_payments.terms import TERMS_VERSION, UNHASHED

PAYMENTS_BASE = "/agent-payments"
LEFT_OUT = tuple(f"extra.{name}" for name in UNHASHED)
HASH_STEPS = (
    "Take one entry of accepts as it was sent.",
    f"Remove {', '.join(LEFT_OUT)} where present.",
    f'Add "product": the id of the product, and "terms": "{TERMS_VERSION}".',
    "Serialise by RFC 8785 and take SHA-256; write 0x and the digest in lower-case hexadecimal digits.",
)


class CapabilityLane(Model):
    """One way to buy a product."""

    lane: str
    """``fixed``, ``volatile`` or ``native``."""
    path: str
    """Where it is bought."""
    rails: list[str]
    """The rails that are offered there."""


class CapabilityProduct(Model):
    """A product on sale."""

    id: str
    """Its name."""
    usd: str
    """Its price in US dollars."""
    body_schema: str
    """Where the JSON Schema of the request body is."""
    lanes: list[CapabilityLane]
    """Where it can be bought."""
    method: list[str]
    """How its result is made, in sentences; the result repeats them with its figures."""
    preflight_reveals: str
    """What the free preflight gives away of the result."""


class CapabilityRail(Model):
    """A payment rail of this deployment."""

    slug: str
    """Its name."""
    scheme: str
    """The x402 scheme."""
    network: str
    """CAIP-2 name of the chain."""
    asset: str
    """Address of the token, or ``native``."""
    symbol: str
    """What the asset is called."""
    decimals: int
    """Digits of its smallest unit."""
    authorization: str
    """How a payment is authorized."""
    pay_to: str
    """Who is paid."""
    finality: str
    """When a transfer counts."""
    typical_seconds: int
    """How long a settlement usually takes."""
    quote_ttl_seconds: int
    """How long a quote lives."""
    hold_seconds: int
    """How long an answer waits for a settlement."""
    available: bool
    """Whether it takes new quotes now."""
    unavailable_reason: str | None
    """Why it does not."""
    settlement_fee_usd: str | None
    """What a settlement costs the seller in network fees now, in US dollars; nothing where somebody else pays or it is
    not known."""
    max_fee_share_bps: int | None
    """The share of a price, in hundredths of a percent, above which such a fee closes the rail."""
    testnet: bool
    """Whether its money is worth nothing."""
    simulated: bool
    """Whether the chain is simulated."""
    default_asset_of_stock_buyers: bool
    """Whether x402 clients pay it with their default settings."""


class CapabilityQuotas(Model):
    """How much one client may ask."""

    per_minute: int
    """Preflights a minute."""
    per_day: int
    """Preflights a day."""
    open_quotes: int
    """Quotes that are open at once."""


class CapabilityPreflight(Model):
    """What an unsigned request costs."""

    free: bool
    """Always true."""
    never_402_for: list[str]
    """Requests that are never answered with terms."""
    quotas: CapabilityQuotas
    """Limits of one client."""


class CapabilityRetry(Model):
    """How the paid request is sent."""

    body: str
    """How its body relates to the first one's."""
    hold_seconds: int
    """How long a request waits for settlement, unless the rail sets another value."""
    pending: str
    """What to do while the payment is pending."""


class CapabilityTermsHash(Model):
    """How a buyer recomputes ``extra.termsHash`` of an entry, and so knows what it binds."""

    name: str = TERMS_VERSION
    """Name of this recipe, which is hashed too."""
    leave_out: list[str] = Field(default_factory=lambda: list(LEFT_OUT))
    """Members that are taken out of the entry of ``accepts``."""
    add: list[str] = Field(default_factory=lambda: ["product", "terms"])
    """Members that are added at the top level: the product's id, and ``name``."""
    serialization: str = "RFC 8785 (JSON Canonicalization Scheme), UTF-8"
    """How the object becomes bytes."""
    digest: str = "SHA-256, 64 lower-case hexadecimal digits after 0x"
    """What is taken of the bytes, and how it is written."""
    steps: list[str] = Field(default_factory=lambda: list(HASH_STEPS))
    """The same in order."""


class CapabilityReplay(Model):
    """What happens when a paid request is sent again."""

    same_payment_same_body: str
    """The answer."""
    kept: str
    """For how long."""


class PaymentCapabilities(Model):
    """What can be bought, and by which rules."""

    schema_version: int = SCHEMA_VERSION
    """Version of this document's shape."""
    x402_version: int = wire.X402_VERSION
    """Version of the payment protocol."""
    updated_at: Moment
    """When this was true."""
    networks: str | None
    """``main``, ``test``, or nothing where nothing is sold."""
    products: list[CapabilityProduct]
    """What is on sale; empty where nothing is."""
    rails: list[CapabilityRail]
    """How it can be paid."""
    preflight: CapabilityPreflight
    """What an unsigned request costs."""
    retry: CapabilityRetry
    """How the paid request is sent."""
    replay: CapabilityReplay
    """What a repeated request gets."""
    terms_hash: CapabilityTermsHash = Field(default_factory=CapabilityTermsHash)
    """What ``extra.termsHash`` is made of."""
    refunds: str = "none"
    """There are none: nothing is charged for an invalid, empty or thin request."""
    late_native_transfer: str = "not accepted, not returned"
    """What becomes of a native transfer after the end of its quote."""
    native_claim_seconds: int = NATIVE_CLAIM_S
    """How long after its quote's end a native transfer that was made in time can be claimed."""


@dataclass(frozen=True, slots=True)
class ProductListing:
    """A product as its declaration has it, without what computes it."""

    id: str
    schema: str
    """Name of its body's schema."""
    lanes: tuple[Lane, ...]
    method: tuple[str, ...] = ()
    reveals: str = ""


def path_of(product: str, lane: Lane, slug: str = "") -> str:
    """Where a product is bought."""
    return f"{PAYMENTS_BASE}/{product}" if lane is Lane.FIXED else f"{PAYMENTS_BASE}/{product}/{lane}/{slug}"
