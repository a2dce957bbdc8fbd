// Lighthouse: node lighthouse.mjs BASE PATH... prints {pages: [{path, scores, lost[]}]}.
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FLAGS, executablePath } from "./chromium.mjs";

const CATEGORIES = ["accessibility", "seo", "best-practices", "agentic-browsing"];
const [base, ...paths] = process.argv.slice(2);
const profile = await mkdtemp(join(tmpdir(), "citepress-audit-"));
const chrome = await launch({ chromePath: executablePath, chromeFlags: FLAGS, ignoreDefaultFlags: true, userDataDir: profile });
const pages = [];
try {
  for (const path of paths) {
    const { lhr } = await lighthouse(base + path, { port: chrome.port, onlyCategories: CATEGORIES, logLevel: "error" });
    const lost = CATEGORIES.flatMap((name) => lhr.categories[name].auditRefs
      .map(({ id, weight }) => ({ category: name, weight, ...lhr.audits[id] }))
      .filter((audit) => audit.weight > 0 && audit.score !== null && audit.score < 1)
      .map(({ category, id, title, score, explanation, details }) => ({ category, id, title, score, explanation, items: details?.items })));
    pages.push({ path, error: lhr.runtimeError?.message, scores: Object.fromEntries(CATEGORIES.map((name) => [name, lhr.categories[name].score])), lost });
  }
} finally {
  chrome.kill();
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
}
console.log(JSON.stringify({ pages }));
