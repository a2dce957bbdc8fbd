// The stock TypeScript buyer with its default settings: POSTs a body, pays what is asked, prints what came of it.
// node buyer.mjs <address> <body> <private key>
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm";
import { privateKeyToAccount } from "viem/accounts";

const [url, body, key] = process.argv.slice(2);
const client = new x402Client().register("eip155:*", new ExactEvmScheme(privateKeyToAccount(key)));
const paying = wrapFetchWithPayment(fetch, client);
const start = performance.now();
try {
  const answer = await paying(url, { method: "POST", body, headers: { "content-type": "application/json" } });
  const field = answer.headers.get("payment-response");
  const told = field && JSON.parse(Buffer.from(field, "base64").toString());
  const text = await answer.text();
  console.log(JSON.stringify({ status: answer.status, response: told, bytes: text.length, ms: Math.round(performance.now() - start) }));
} catch (fault) {
  console.log(JSON.stringify({ status: 0, words: String(fault.message ?? fault).slice(0, 300), ms: Math.round(performance.now() - start) }));
}
