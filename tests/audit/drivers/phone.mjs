// What the first screen of a phone shows of each page: node phone.mjs BASE PATHS prints {screen, pages[]}.
import { readFile } from "node:fs/promises";
import { visiting } from "./chromium.mjs";

const [base, list] = process.argv.slice(2);
const screen = { width: 390, height: 844 };
const pages = [];
await visiting(base, (await readFile(list, "utf8")).split("\n"), async (page, { path }) => {
  const measured = await page.evaluate(() => ({
    title: Math.round(document.querySelector("h1").getBoundingClientRect().top),
    nugget: Math.round(document.querySelector(".record .nugget blockquote")?.getBoundingClientRect().bottom ?? 0),
    text: Math.round(document.querySelector(".record #text > .body :is(p, li, td)")?.getBoundingClientRect().top ?? 0),
    search: Math.round(document.querySelector(".masthead a[href$='/search/']").getBoundingClientRect().right),
    height: document.documentElement.scrollHeight,
    over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  }));
  pages.push({ path, ...measured });
}, { widths: [screen.width], schemes: ["light"], height: screen.height });
console.log(JSON.stringify({ screen, pages }));
