// linkinator over every internal link, fragments included: node links.mjs BASE FILE prints {checked, outside, broken[]}.
// FILE lists URLs to begin with, one a line; what they link to inside the site is followed.
import { LinkChecker } from "linkinator";
import { readFile } from "node:fs/promises";

const [base, file] = process.argv.slice(2);
const outside = new Set();
const result = await new LinkChecker().check({
  path: (await readFile(file, "utf8")).split("\n").filter(Boolean),
  recurse: true,
  concurrency: 16,
  timeout: 30000,
  redirects: "error",
  checkFragments: true,
  checkCss: true,
  linksToSkip: async (link) => {
    const inside = link === base || link.startsWith(`${base}/`);
    if (!inside) outside.add(link);
    // Lists under two conditions are as many as their pairs; those under one are asked.
    return !inside || new URL(link).search.includes("&");
  },
});
const checked = result.links.filter((link) => link.state !== "SKIPPED");
const broken = checked.filter((link) => link.state === "BROKEN");
console.log(JSON.stringify({
  checked: new Set(checked.map((link) => link.url)).size,
  outside: outside.size,
  broken: broken.map(({ url, status, parent, failureDetails }) => ({
    url, status, parent, why: (failureDetails ?? []).map((one) => one.message ?? one.statusText ?? "").filter(Boolean).join("; "),
  })),
}));
