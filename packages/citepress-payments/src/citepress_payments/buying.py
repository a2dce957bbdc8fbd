"""The part of the developer guide on paying: the handshake, and two stock x402 clients that work as printed."""

from collections.abc import Iterator

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
    yield Prose("payments", "Paid compute", _HANDSHAKE)
    if any(rail.driver == "simulated" for rail in payments.rails):
        yield Prose("buy-for-nothing", "Try it without money", _SIMULATED.format(buyer=TEST_BUYER, key=TEST_BUYER_KEY))
    yield Code(PYTHON, "A stock buyer in Python", _filled(_PYTHON, context, route), "python")
    yield Code(TYPESCRIPT, "A stock buyer in TypeScript", _filled(_TYPESCRIPT, context, route), "typescript")
    if _accepts_other_assets(payments):
        yield Prose("buy-limits", "What stock buyers refuse by default", _REFUSED)
        yield Code(
            OTHER_ASSETS,
            "Allow another token",
            _ALLOWED.replace("<NETWORK>", BASE_NETWORKS[payments.networks]),
            "python",
        )
    yield Prose("buy-native", "Native coins", _NATIVE)


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
    return (
        text.replace("<URL>", context.url(route.path))
        .replace("<BODY>", body.replace("\\", "\\\\").replace("'", "\\'"))
        .strip()
    )


_HANDSHAKE = """First send the request without a payment. The result is computed at no charge: an invalid or empty
request, or one with insufficient evidence, is answered with 4xx and can never be charged. A crawler that sends an
empty body therefore never sees a 402: prices are in `x-payment-info` of [/openapi.json](/openapi.json), and
`/.well-known/x402` lists the addresses. If there is a result to sell, the answer is 402 and `PAYMENT-REQUIRED`
holds the terms (x402 version 2, Base64 of JSON). Check product, price, network, token and recipient against your
own policy, sign, and send the **same bytes** again with `PAYMENT-SIGNATURE`. The answer is 200 with the result,
and `PAYMENT-RESPONSE` holds `resultSalt`: the SHA-256 of the salt and the body is the `resultCommitment` of the
terms.

Set your client's timeout to 60 seconds, because an answer may wait for the chain to settle. After a timeout, or a
402 with `settlement_pending`, send the same `PAYMENT-SIGNATURE` again and do not sign a new one; a paid request can
be repeated and is charged only once. There are no refunds.
[payment-capabilities](/agent-payments/payment-capabilities) lists products, prices, rails and limits, explains how
each result is made and what the free preflight reveals, and describes under `terms_hash` how `extra.termsHash` is
computed, so that you can check what you sign."""
_SIMULATED = """This archive simulates a chain: the signatures are real, the money is not. The published buyer
`{buyer}` has a large balance; its publicly known key is `{key}`. Put it into `PAYER_KEY` and never send anything of
value to it."""
_PYTHON = """
# pip install "x402[httpx,evm]==2.25.*"; then: PAYER_KEY=0x... python buy.py
import asyncio
import os

from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import x402HttpxClient
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme

URL = "<URL>"
BODY = '<BODY>'


async def main() -> None:
    client = x402Client()
    client.register("eip155:*", ExactEvmScheme(EthAccountSigner(Account.from_key(os.environ["PAYER_KEY"]))))
    async with x402HttpxClient(client, timeout=60) as http:
        answer = await http.post(URL, content=BODY, headers={"Content-Type": "application/json"})
        answer.raise_for_status()
        print(answer.text)


asyncio.run(main())
"""
_TYPESCRIPT = """
// npm install @x402/fetch@2.27.0 @x402/evm@2.27.0 viem@2.48.11
// Then, with Node.js 22.18 or later: PAYER_KEY=0x... node buy.ts
import { ExactEvmScheme } from "@x402/evm";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import { privateKeyToAccount } from "viem/accounts";

const account = privateKeyToAccount(process.env.PAYER_KEY as `0x${string}`);
const pay = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
});
const answer = await pay("<URL>", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: '<BODY>',
  signal: AbortSignal.timeout(60_000),
});
if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
console.log(await answer.text());
"""
_REFUSED = """Stock buyers pay only the default stablecoin of a network, and at most 1 USD. Other tokens (EURC, WETH,
cbBTC, wrapped SOL) must be allowed one by one, with `allowed_assets` in Python or `spendControls: { allowedAssets:
[...] }` in TypeScript and a cap in the token's smallest unit. USDC on Optimism is not a default asset either. A
token paid through Permit2 (WETH) first needs one approval of the Permit2 contract."""
_ALLOWED = """
client.set_spend_controls({
    "allowed_assets": [
        {
            "network": "<NETWORK>",
            "asset": "0x4200000000000000000000000000000000000006",
            "max_amount_per_payment": "100000000000000",
        }
    ]
})
""".strip()
_NATIVE = """Stock buyers skip the scheme `exact-direct`. Before `expiresAt`, make a plain transfer of exactly
`amount` to `payTo` with `extra.data` as its data (on Solana: `extra.memo` as its memo). Then send the same body with
`PAYMENT-SIGNATURE` of `{"x402Version":2,"accepted":<the entry>,"payload":{"transaction":"<hash>"}}`. Until the
transfer is final the answer is 402 `settlement_pending`. A late, smaller or larger transfer is neither accepted nor
returned."""
GUIDE = (buying,)
