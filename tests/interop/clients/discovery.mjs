// What a stock prober of paid APIs finds at an address: the paid routes with their prices.
import { discoverOriginSchema } from "@agentcash/discovery";

const discovered = await discoverOriginSchema({ target: process.argv[2] });
const paid = (discovered.endpoints ?? []).filter((endpoint) => endpoint.authMode === "paid");
console.log(JSON.stringify(Object.fromEntries(paid.map((endpoint) => [endpoint.path, endpoint.price ?? ""]))));
