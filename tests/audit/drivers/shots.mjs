// Screenshots of the upper part of pages: node shots.mjs BASE FOLDER NAME=PATH... prints {files[]}.
import { join } from "node:path";
import { visiting } from "./chromium.mjs";

const [base, folder, ...pairs] = process.argv.slice(2);
const names = new Map(pairs.map((pair) => pair.split("=").toReversed()));
const TALLEST = 2200; // more cannot be looked at in one picture
const files = [];
await visiting(base, [...names.keys()], async (page, { path, width, scheme }) => {
  const file = join(folder, `${names.get(path)}-${width}-${scheme}.png`);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.screenshot({ path: file, fullPage: true, clip: { x: 0, y: 0, width, height: Math.min(height, TALLEST) } });
  files.push(file);
});
console.log(JSON.stringify({ files }));
