"""The part of the developer guide on paying: the handshake, and two stock x402 clients that work as printed."""

from collections.abc import Iterator
from importlib.resources import files

from citepress.base.canonical import json_bytes
from citepress.contract.page import Block, Code, Item, Items, Prose
from citepress.contract.route import Route
from citepress.edition.examples import example_path
from citepress.edition.machine.interface import curl, member_table, paid
from citepress.edition.render_context import RenderContext
from citepress_payments.settings import TEST_BUYER, TEST_BUYER_KEY, Payments, payments_of

PYTHON, TYPESCRIPT, OTHER_ASSETS = "buy-python", "buy-typescript", "buy-other-assets"
"""Ids of the blocks; tests run their code."""
BASE_NETWORKS = {"main": "eip155:8453", "test": "eip155:84532"}
"""The chain in the example with another token; WETH has the same address on both."""


def buying(context: RenderContext) -> Iterator[Block]:
    """The blocks of the guide; none if nothing is for sale."""
    yield from _products(context)
    payments = payments_of(context.site)
    route = next((route for route in paid(context) if not route.parameters), None)
    if payments is None or not payments.rails or route is None:
        return
    yield Prose("payments", "Paid compute", _text("handshake.md"))
    if any(rail.driver == "simulated" for rail in payments.rails):
        yield Prose(
            "buy-for-nothing",
            "Try it without money",
            _text("simulated.md").format(buyer=TEST_BUYER, key=TEST_BUYER_KEY),
        )
    yield Code(PYTHON, "A stock buyer in Python", _filled(_text("buyer.py.txt"), context, route), "python")
    yield Code(TYPESCRIPT, "A stock buyer in TypeScript", _filled(_text("buyer.ts.txt"), context, route), "typescript")
    if _accepts_other_assets(payments):
        yield Prose("buy-limits", "What stock buyers refuse by default", _text("refused.md"))
        yield Code(
            OTHER_ASSETS,
            "Allow another token",
            _text("allowed.py.txt").replace("<NETWORK>", BASE_NETWORKS[payments.networks]),
            "python",
        )
    yield Prose("buy-native", "Native coins", _text("native.md"))


def _products(context: RenderContext) -> Iterator[Block]:
    sold = list(paid(context))
    if not sold:
        return
    items = tuple(Item(_with_example(context, route), title=f"POST {route.path}") for route in sold)
    yield Items("paid-products", "Paid products", items)
    for route in (route for route in sold if not route.parameters):
        name = f"paid-{route.name.replace('_', '-')}"
        yield Code(name, f"Free terms of {route.path}", curl(context.url(route.path), route.example), "sh")
        yield member_table(f"{name}-members", f"Members of {route.path}", route)


def _with_example(context: RenderContext, route: Route) -> str:
    path = example_path(context, route) if route.parameters else ""
    return f"{route.summary} Example: {path}" if path else route.summary


def _accepts_other_assets(payments: Payments) -> bool:
    """Whether a rail accepts anything other than USDC."""
    return any(rail.prices for rail in payments.rails)


def _filled(text: str, context: RenderContext, route: Route) -> str:
    body = json_bytes(dict(route.example)).decode().strip()
    return text.replace("<URL>", context.url(route.path)).replace(
        "<BODY>", body.replace("\\", "\\\\").replace("'", "\\'")
    )


def _text(name: str) -> str:
    """A text of the guide."""
    return files(__package__).joinpath("guide", name).read_text("utf-8").rstrip("\n")


GUIDE = (buying,)
