// The TypeScript client 2.4.0 against a used-up limit: the words that a person sees.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [url, mode] = process.argv.slice(2);
let message = "";
try {
  const client = new Client({ name: "interop", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  for (let call = 0; call < 20; call += 1) await client.callTool({ name: "list_paid_tools", arguments: {} });
} catch (error) {
  message = String(error.message);
}
console.log(JSON.stringify({ message }));
