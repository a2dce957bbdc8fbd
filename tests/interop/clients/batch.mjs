// The SDK 1.10.0, which still sends batches: four messages in one POST after initialize.
import { Client } from "sdk-1-10/client/index.js";
import { StreamableHTTPClientTransport } from "sdk-1-10/client/streamableHttp.js";

const [url] = process.argv.slice(2);
const transport = new StreamableHTTPClientTransport(new URL(url));
const client = new Client({ name: "interop", version: "1" });
await client.connect(transport);
const answers = [];
transport.onmessage = (message) => answers.push(message);
await transport.send([
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: "a", method: "tools/list" },
  { jsonrpc: "2.0", id: "b", method: "ping" },
  { jsonrpc: "2.0", id: "c", method: "resources/read", params: { uri: "nope:x" } },
]);
await new Promise((done) => setTimeout(done, 500));
console.log(JSON.stringify(answers.map((one) => ({ id: one.id, ok: "result" in one, code: one.error?.code ?? null }))));
await client.close();
