// The SDK 1.32.2: it opens with initialize, and everything can be read.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url] = process.argv.slice(2);
const client = new Client({ name: "interop", version: "1" });
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
const tools = (await client.listTools()).tools;
const hit = await client.callTool({ name: "search_archive", arguments: { query: "memory", limit: 1 } });
const { resources } = await client.listResources();
const read = await client.readResource({ uri: resources[0].uri });
console.log(JSON.stringify({
  version: transport.protocolVersion,
  tools: tools.length,
  hits: hit.structuredContent.results.length,
  text: read.contents[0].text.length > 0,
}));
await client.close();
