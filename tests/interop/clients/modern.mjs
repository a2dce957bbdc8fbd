// The TypeScript client 2.4.0 in each of its modes: what it negotiates, and that everything can be read.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [url] = process.argv.slice(2);
const modes = [undefined, "legacy", "auto", { pin: "2026-07-28" }];
const found = [];
for (const mode of modes) {
  let requests = 0;
  const counted = (...told) => {
    requests += 1;
    return fetch(...told);
  };
  const client = new Client({ name: "interop", version: "1" }, mode === undefined ? {} : { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: counted }));
  const tools = (await client.listTools()).tools;
  await client.listTools();
  const hit = await client.callTool({ name: "search_archive", arguments: { query: "memory", limit: 1 } });
  const { resources } = await client.listResources();
  const read = await client.readResource({ uri: resources[0].uri });
  const prompts = (await client.listPrompts()).prompts;
  const prompt = await client.getPrompt({ name: "verify_a_claim", arguments: { claim: "Agents keep files." } });
  let refused = "";
  try {
    await client.readResource({ uri: resources[0].uri + "none" });
  } catch (error) {
    refused = String(error.message);
  }
  found.push({
    mode: mode === undefined ? "default" : mode.pin ?? mode,
    version: client.getNegotiatedProtocolVersion(),
    tools: tools.length,
    hits: hit.structuredContent.results.length,
    text: read.contents[0].text.length > 0,
    prompts: prompts.length,
    messages: prompt.messages.length,
    refused: refused.includes("no such resource"),
    requests,
  });
  await client.close();
}
console.log(JSON.stringify(found));
