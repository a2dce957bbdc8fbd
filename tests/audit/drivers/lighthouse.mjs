// Lighthouse: node lighthouse.mjs BASE PATH... prints {pages: [{path, scores, lost[]}]}.
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FLAGS, executablePath } from "./chromium.mjs";

const CATEGORIES = ["performance", "accessibility", "seo", "best-practices", "agentic-browsing"];
const RUNS = 5; // a busy machine makes a page slower than it is: the median of some loads counts for performance
const [base, ...paths] = process.argv.slice(2);
const profile = await mkdtemp(join(tmpdir(), "citepress-audit-"));
const chrome = await launch({ chromePath: executablePath, chromeFlags: FLAGS, ignoreDefaultFlags: true, userDataDir: profile });

const judged = async (path, onlyCategories) =>
  (await lighthouse(base + path, { port: chrome.port, onlyCategories, logLevel: "error" })).lhr;

const lostIn = (lhr) => Object.keys(lhr.categories).flatMap((name) => lhr.categories[name].auditRefs
  .map(({ id, weight }) => ({ category: name, weight, ...lhr.audits[id] }))
  .filter((audit) => audit.weight > 0 && audit.score !== null && audit.score < 1)
  .map(({ category, id, title, score, displayValue, explanation, details }) => (
    { category, id, title, score, explanation: explanation ?? displayValue, items: details?.items })));

/** The load whose performance is the median; no further ones once most met the bar. */
const performance = async (path) => {
  const loads = [];
  while (loads.length < RUNS && loads.filter((lhr) => lhr.categories.performance.score === 1).length <= RUNS / 2) {
    loads.push(await judged(path, ["performance"]));
  }
  loads.sort((one, other) => one.categories.performance.score - other.categories.performance.score);
  return loads[Math.floor(loads.length / 2)];
};

const pages = [];
try {
  for (const path of paths) {
    const [fast, sound] = [await performance(path), await judged(path, CATEGORIES.slice(1))];
    const categories = { ...fast.categories, ...sound.categories };
    const scores = Object.fromEntries(CATEGORIES.map((name) => [name, categories[name].score]));
    const error = fast.runtimeError?.message ?? sound.runtimeError?.message;
    pages.push({ path, error, scores, lost: [...lostIn(fast), ...lostIn(sound)] });
  }
} finally {
  chrome.kill();
  await rm(profile, { recursive: true, force: true, maxRetries: 5 });
}
console.log(JSON.stringify({ pages }));
