"""How to buy, on the developer guide: the handshake in words, and two stock x402 buyers that pay this very archive as they are printed."""

from collections.abc import Iterator

from citepress.base.canonical import json_bytes
from citepress.contract.document import Section
from citepress.contract.page import Block, Code, Prose
from citepress.contract.paid import TEST_BUYER, TEST_BUYER_KEY, Payments
from citepress.contract.route import Route
from citepress.edition.render_context import RenderContext

PYTHON, TYPESCRIPT, OTHER_ASSETS = "buy-python", "buy-typescript", "buy-other-assets"
"""Ids of the blocks; tests run what stands in them."""
BASE = {"main": "eip155:8453", "test": "eip155:84532"}
"""The chain of the example of another token: WETH has the same address on both."""


def buying(desk: RenderContext) -> Iterator[Block]:
    """The blocks of the guide; none where nothing is sold."""
    told = desk.site.payments
    route = next((one for one in desk.routes if one.section is Section.PAYMENTS and one.method == "POST" and not one.parameters), None)
    if told is None or not told.rails or route is None:
        return
    yield Prose("payments", "Paid compute", _HANDSHAKE)
    if any(rail.driver == "simulated" for rail in told.rails):
        yield Prose("buy-for-nothing", "Try it for nothing", _SIMULATED.format(buyer=TEST_BUYER, key=TEST_BUYER_KEY))
    yield Code(PYTHON, "A stock buyer in Python", _filled(_PYTHON, desk, route), "python")
    yield Code(TYPESCRIPT, "A stock buyer in TypeScript", _filled(_TYPESCRIPT, desk, route), "typescript")
    if _others(told):
        yield Prose("buy-limits", "What stock buyers refuse by default", _REFUSED)
        yield Code(OTHER_ASSETS, "Allow another token", _ALLOWED.replace("<NETWORK>", BASE[told.networks]), "python")
    yield Prose("buy-native", "Native coins", _NATIVE)


def _others(told: Payments) -> bool:
    """Whether a rail takes something else than USDC."""
    return any(rail.prices for rail in told.rails)


def _filled(text: str, desk: RenderContext, route: Route) -> str:
    body = json_bytes(dict(route.example)).decode().strip()
    return text.replace("<URL>", desk.url(route.path)).replace("<BODY>", body.replace("\\", "\\\\").replace("'", "\\'")).strip()


_HANDSHAKE = """Send the request without a payment first. It is computed then, for nothing: what is invalid, empty or thin is answered 4xx and can never be charged.
Where there is something to sell, the answer is 402 and `PAYMENT-REQUIRED` holds the terms (x402 version 2, base64 of JSON). Check product, price, network,
token and recipient against your own policy, sign, and send the **same bytes** again with `PAYMENT-SIGNATURE`. The answer is 200 with the result, and
`PAYMENT-RESPONSE` holds `resultSalt`: SHA-256 of the salt and the body is the `resultCommitment` of the terms.

Give your client 60 seconds: an answer is held while the chain settles. After a time-out, or a 402 with `settlement_pending`, send the same `PAYMENT-SIGNATURE`
again and do not sign anew; a paid request can be repeated and is not charged again. There are no refunds.
[payment-capabilities](/agent-payments/payment-capabilities) lists products, prices, rails and limits, how each result is made, what the free preflight gives
away, and under `terms_hash` how `extra.termsHash` is made, so that you can check what you sign."""
_SIMULATED = """Here a chain is simulated: signatures are real and the money is not. The published buyer `{buyer}` has plenty of it; its key, known to everybody, is
`{key}`. Put it into `PAYER_KEY` and never send it anything of worth."""
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
// npm install @x402/fetch@2.27.0 @x402/evm@2.27.0 viem@2.48.11; then, with Node.js 22.18 or later: PAYER_KEY=0x... node buy.ts
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
_REFUSED = """Stock buyers pay the default stablecoin of a network and at most 1 USD. Other tokens (EURC, WETH, cbBTC, wrapped SOL) have to be allowed one by one,
`allowed_assets` in Python and `spendControls: { allowedAssets: [...] }` in TypeScript, with a cap in the token's smallest unit. USDC on Optimism is no default
asset either. A token that is paid by Permit2 (WETH) needs one approval of the Permit2 contract before."""
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
_NATIVE = """The scheme `exact-direct` is skipped by stock buyers. Send a plain transfer of exactly `amount` to `payTo` with `extra.data` as its data (on Solana: `extra.memo`
as its memo) before `expiresAt`, then the same body with `PAYMENT-SIGNATURE` of `{"x402Version":2,"accepted":<the entry>,"payload":{"transaction":"<hash>"}}`. Until the
transfer is final the answer is 402 `settlement_pending`; a late, smaller or larger transfer is neither accepted nor returned."""
