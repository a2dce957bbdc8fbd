// axe-core on each page: node axe.mjs BASE PATH... prints {visits, violations[], scrolling[]}.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { visiting } from "./chromium.mjs";

const [base, ...paths] = process.argv.slice(2);
const source = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const found = { visits: 0, violations: [], unsure: [], scrolling: [] };
await visiting(base, paths, async (page, where) => {
  found.visits += 1;
  await page.evaluate(source);
  const { violations, incomplete } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations", "incomplete"] }));
  for (const [list, kind] of [[violations, "violations"], [incomplete, "unsure"]]) {
    for (const one of list) {
      found[kind].push({ ...where, rule: one.id, help: one.help, nodes: one.nodes.map((node) => `${node.target.join(" ")}: ${node.failureSummary}`) });
    }
  }
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (over > 0) found.scrolling.push({ ...where, pixels: over });
});
console.log(JSON.stringify(found));
