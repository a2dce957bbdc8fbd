"""list_paid_tools: the paid compute products, read for nothing."""

from citepress.contract.document import Section
from citepress.contract.model import Model
from citepress.contract.operation import Answer, Operation, Tool
from citepress.operations.context import OperationContext
from citepress.operations.models import PaidProduct

CAPABILITIES = "/agent-payments/payment-capabilities"
HANDSHAKE = (
    "POST the body without PAYMENT-SIGNATURE; nothing is settled by that.",
    "A sellable request is answered 402 with the terms in PAYMENT-REQUIRED.",
    "Check product, price, network, asset and recipient against your own spending policy, then sign.",
    "POST the same bytes again with PAYMENT-SIGNATURE; the answer is the result.",
    "The same signed request returns the result again without another settlement.",
)


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


def run(_ask: PaidAsk, context: OperationContext) -> PaidAnswer:
    """List the products (specification, "Paid compute products")."""
    products = context.products()
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
        capabilities_url=context.url(CAPABILITIES),
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
