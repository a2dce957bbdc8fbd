// User-Agents of three packages: node agents.mjs prints {verified: [{agent, ai}], browsers: [agent], fixtures: [agent], isbot: [agent]}.
// cloudflare-bot-directory (its data CC BY-NC 4.0) is read here to measure with, and copied nowhere.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { isbot } from "isbot";

const require = createRequire(import.meta.url);
const packages = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "node_modules");
const directory = require("cloudflare-bot-directory");
const verified = directory.flatMap(({ category, userAgents }) => userAgents.map((agent) => ({ agent, ai: category.startsWith("AI_") })));
const browsers = JSON.parse(await readFile(path.join(packages, "user-agents/dist/user-agents.json"), "utf8")).map((one) => one.userAgent);
const fixtures = (await readFile(path.join(packages, "isbot-fixtures/crawlers.txt"), "utf8")).split("\n").filter((line) => line.trim());
const known = verified.map((one) => one.agent).concat(fixtures);
console.log(JSON.stringify({ verified, browsers: [...new Set(browsers)], fixtures, isbot: known.filter((agent) => isbot(agent)) }));
