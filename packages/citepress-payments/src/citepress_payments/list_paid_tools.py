"""list_paid_tools: the paid compute products, read for nothing."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from citepress.contract.document import Section
from citepress.contract.model import Model
from citepress.contract.operation import Answer, Operation, Tool
from citepress.operations.context import OperationContext

CAPABILITIES_PATH = "/agent-payments/payment-capabilities"
HANDSHAKE = (
    "POST the body without PAYMENT-SIGNATURE; nothing is settled by that.",
    "A sellable request is answered 402 with the terms in PAYMENT-REQUIRED.",
    "Check product, price, network, asset and recipient against your own spending policy, then sign.",
    "POST the same bytes again with PAYMENT-SIGNATURE; the answer is the result.",
    "The same signed request returns the result again without another settlement.",
)


class PaidPrice(Model):
    """What a product costs on one payment rail."""

    rail: str
    """Name of the rail."""
    path: str
    """Where it is bought over this rail."""
    network: str
    """The network that is paid on, by its CAIP-2 name."""
    asset: str
    """What is paid with: the token's address, or ``native``."""
    amount: str | None = None
    """The price in the asset's smallest unit; left out where its price cannot be read now."""
    decimals: int
    """Digits of that unit."""
    exact: bool
    """Whether that is the price; otherwise it moves with the market, and the 402 states it."""
    testnet: bool
    """Whether its money is worth nothing."""
    simulated: bool
    """Whether the chain is simulated."""


class PaidProduct(Model):
    """A paid compute product."""

    id: str
    """Its name."""
    title: str
    """What it is called."""
    description: str
    """What it returns."""
    method: str
    """HTTP method."""
    url: str
    """Where it is bought."""
    request: dict[str, Any]
    """JSON Schema of the body."""
    usd: str
    """Its price in US dollars."""
    prices: list[PaidPrice]
    """What it costs, by rail."""


class PaidAsk(Model):
    """Nothing to tell."""


class PaidAnswer(Answer):
    """The products on offer."""

    products: list[PaidProduct]
    """Each with its request, prices and rails."""
    handshake: list[str]
    """The steps of a purchase."""
    capabilities_url: str | None = None
    """Where prices are read right before paying."""


class ProductsOnSale(ABC):
    """The service that lists what is for sale now."""

    @abstractmethod
    def __call__(self) -> tuple[PaidProduct, ...]:
        """The products; may be none."""


def on_sale(services: Mapping[type, object]) -> tuple[PaidProduct, ...]:
    """The products that the service of a process lists; none where there is no such service, so nothing is sold."""
    listing = services.get(ProductsOnSale)
    return listing() if isinstance(listing, ProductsOnSale) else ()


def run(_ask: PaidAsk, context: OperationContext) -> PaidAnswer:
    """List the products (specification, "Paid compute products")."""
    products = on_sale(context.services)
    if not products:
        return PaidAnswer(
            as_of=context.as_of,
            products=[],
            handshake=[],
            notes=("No paid product is on offer here; everything is free.",),
        )
    return PaidAnswer(
        as_of=context.as_of,
        products=list(products),
        handshake=list(HANDSHAKE),
        capabilities_url=context.url(CAPABILITIES_PATH),
    )


OPERATION = Operation(
    name="list_paid_tools",
    title="Paid compute products",
    description=(
        "List the paid compute products: what each returns, request fields, price and path on every rail, and how the"
        " 402 handshake goes. Reading is free and this tool pays nothing. Read capabilities_url again right before"
        " paying; prices move."
    ),
    ask=PaidAsk,
    answer=PaidAnswer,
    run=run,
    section=Section.MCP,
    beside=True,
    tool=Tool(tokens=4000, cut="products"),
)
OPERATIONS = (OPERATION,)
