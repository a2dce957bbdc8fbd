"""The ``[payments]`` table of ``site.toml``: what is sold, for how much, and over which rails; it holds no secret."""

from typing import Annotated, Literal

from pydantic import Field

from citepress.contract.model import Model, Moment, OneLine
from citepress.contract.settings_table import SettingsTable, settings_of

EVM_ADDRESS = r"^0x[0-9a-fA-F]{40}$"
TEST_BUYER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
"""The published buyer of simulated rails: the well-known second development account."""
TEST_BUYER_KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
SIMULATED_SELLER = "0xEa66d6D5206aF2fBf692Ca6cEfbc4A2Dd770A1FC"
"""Who is paid on the simulated chain by default: the first digits of a hash, so there is no key
of it."""
Url = Annotated[str, Field(pattern=r"^https?://[^\s]+$", max_length=500)]
Usd = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,5})(\.[0-9]{1,6})?$")]
"""US dollars as decimal text, to the millionth."""
Decimals = Annotated[str, Field(pattern=r"^[0-9]{1,12}(\.[0-9]{1,18})?$")]


class StaticPrice(Model):
    """A price that the operator states."""

    source: Literal["static"]
    """Type of the source."""
    price: Decimals
    """US dollars for one whole unit."""
    valid_until: Moment
    """When it expires."""


class ChainlinkPrice(Model):
    """A Chainlink feed, read by ``eth_call``."""

    source: Literal["chainlink"]
    """Type of the source."""
    rpc: Url
    """JSON-RPC address of its chain."""
    feed: Annotated[str, Field(pattern=EVM_ADDRESS)]
    """Its address."""
    heartbeat: Annotated[int, Field(ge=10, le=172_800)]
    """Seconds between two rounds at most, as Chainlink states."""
    sequencer: Annotated[str, Field(pattern=EVM_ADDRESS)] | None = None
    """Address of the feed on a layer-2 chain's sequencer."""


class HttpPrice(Model):
    """A number in a JSON document."""

    source: Literal["http_json"]
    """Type of the source."""
    url: Annotated[str, Field(pattern=r"^https://[^\s]+$", max_length=500)]
    """Its address: TLS only, redirects are not followed."""
    pointer: Annotated[str, Field(pattern=r"^(/[^/]+)+$", max_length=200)]
    """JSON Pointer of the price; ``*`` is the first member."""


class ExchangePrice(Model):
    """A spot price of that exchange."""

    source: Literal["coinbase", "kraken"]
    """Type of the source."""
    pair: Annotated[str, Field(pattern=r"^[A-Z0-9]{2,10}-?[A-Z]{3}$")]
    """The pair as the exchange writes it: ``ETH-USD``, ``ETHUSD``."""


PriceSource = Annotated[StaticPrice | ChainlinkPrice | HttpPrice | ExchangePrice, Field(discriminator="source")]


class _Secret(Model):
    """Where a secret is read; it is never part of the configuration. One of the two is required."""

    secret_file: OneLine | None = None
    """File of the secret, of mode 0600."""
    secret_env: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,99}$")] | None = None
    """Or the environment variable that holds it."""


class BearerAuth(_Secret):
    """A fixed token in ``Authorization: Bearer``."""

    type: Literal["bearer"]
    """Type of the authentication."""


class HeaderAuth(_Secret):
    """A fixed key in a header field."""

    type: Literal["header"]
    """Type of the authentication."""
    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9-]{0,63}$")] = "X-API-Key"
    """Name of the header field."""


class JwtAuth(_Secret):
    """A JSON Web Token for each request (ES256 or Ed25519), as Coinbase's facilitator requires."""

    type: Literal["jwt"]
    """Type of the authentication."""
    key_id: Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,200}$")]
    """Its ``kid`` and ``sub``."""
    issuer: Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,200}$")] = "cdp"
    """Its ``iss``."""
    audience: list[OneLine] = Field(default_factory=list, max_length=4)
    """Its ``aud``, if any."""
    lifetime_s: Annotated[int, Field(ge=10, le=600)] = 120
    """Its lifetime in seconds."""


FacilitatorAuth = Annotated[BearerAuth | HeaderAuth | JwtAuth, Field(discriminator="type")]


class PaidRail(Model):
    """A rail that is open."""

    slug: OneLine
    """Name of a declared rail, such as ``base-usdc``."""
    driver: Literal["simulated", "facilitator", "embedded", "rpc"]
    """How its chain is reached; ``rpc`` is for native rails."""
    rpc_urls: list[Url] = Field(default_factory=list, max_length=8)
    """JSON-RPC addresses of its chain, TLS or on loopback, preferred first; required unless simulated."""
    rpc_quorum: Annotated[int, Field(ge=1, le=8)] = 1
    """How many ``rpc_urls`` have to agree."""
    facilitator_url: Url | None = None
    """Address of the x402 facilitator, for that driver; redirects are not followed."""
    facilitator_auth: FacilitatorAuth | None = None
    """How citepress authenticates to it."""
    signer_key_file: OneLine | None = None
    """File of the key that pays for gas, of mode 0600, for ``embedded``: 64 hexadecimal digits (EVM), or base 58 or 64
    numbers as Solana's tools write them."""
    finality: Literal["latest", "safe", "finalized"] | None = None
    """When a transfer counts; by default ``latest`` for EVM tokens, ``finalized`` for Solana and native coins."""
    hold_s: Annotated[int, Field(ge=1, le=55)] = 20
    """Seconds that an answer waits for a settlement; a proxy must allow more."""
    ttl_s: Annotated[int, Field(ge=60, le=3600)] | None = None
    """Seconds that a quote lives; by default 300 (fixed), 120 (volatile), 900 (native)."""
    max_fee_gwei: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """Highest price of a unit of gas, by default 500; above it the rail closes."""
    max_fee_share_bps: Annotated[int, Field(ge=1, le=10_000)] = 2_000
    """Largest share of a price that the network fee may take, in hundredths of a percent."""
    gas_prices: list[PriceSource] = Field(default_factory=list, max_length=8)
    """Prices of the coin that pays for gas, for ``embedded`` under ``main``; WETH and wSOL use ``prices``."""
    prices: list[PriceSource] = Field(default_factory=list, max_length=8)
    """Prices of the asset; required by every rail except USDC."""
    min_sources: Annotated[int, Field(ge=1, le=8)] = 1
    """How many prices have to be fresh."""


class PaidPriceTag(Model):
    """What a product costs."""

    usd: Usd
    """US dollars, by default 0.05; stock x402 buyers refuse more than 1."""


class Payments(Model):
    """Paid compute: off without this table."""

    networks: Literal["main", "test"]
    """For all rails, so that test money and real money never mix."""
    pay_to_evm: Annotated[str, Field(pattern=EVM_ADDRESS)] | None = None
    """Recipient on EVM chains: of this seller alone, and not the signer."""
    pay_to_svm: Annotated[str, Field(pattern=r"^[1-9A-HJ-NP-Za-km-z]{32,44}$")] | None = None
    """Recipient on Solana."""
    products: dict[str, PaidPriceTag] = Field(default_factory=dict, max_length=20)
    """By product: ``research-bundle-v2``, ``prior-coverage``."""
    keep_paid_days: Annotated[int, Field(ge=30, le=36_500)] | None = None
    """Days for which a paid result stays available; by default as long as the ledger."""
    max_unpaid_mb: Annotated[int, Field(ge=1, le=100_000)] = 64
    """Megabytes for unpaid quotes of native rails, and as many for those of all others."""
    rails: list[PaidRail] = Field(default_factory=list)
    """The rails that are open."""


def payments_of(settings: Model) -> Payments | None:
    """The table of a site or of a deployment; without it nothing is sold."""
    return settings_of(settings, Payments)


TABLES = (SettingsTable("payments", private=Payments),)
