// Each page as it is printed, and the text of its PDF: node prints.mjs BASE FOLDER PATHS prints {pages[]}.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getDocumentProxy } from "unpdf";
import { visiting } from "./chromium.mjs";

const [base, folder, list] = process.argv.slice(2);
const MARGIN = 16 * 72 / 25.4; // that of the style sheet, in points
const SLACK = 1;
const MARKER = /^\d+\.(?=\s|$)/;
const pages = [];

/** What a printed page has to hold: the numbers of its lists, and the addresses of its sources. */
const expected = () => {
  const numbers = [...document.querySelectorAll("ol")].flatMap((list) =>
    [...list.children].flatMap((item, place) =>
      item.checkVisibility() && getComputedStyle(item).listStyleType === "decimal" ? [`${list.start + place}.`] : []));
  const sources = [...document.querySelectorAll(".sources .title a[rel=external]")].map((link) => link.getAttribute("href"));
  return { title: document.querySelector("h1").textContent, numbers, sources };
};

/** The texts of a PDF, and those that lie outside the margins, where a printer shows nothing of them. */
async function read(pdf) {
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const texts = [], cut = [];
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number);
    const right = page.view[2] - MARGIN + SLACK;
    for (const { str, transform, width } of (await page.getTextContent()).items) {
      if (!str.trim()) continue;
      texts.push(str);
      if (transform[4] < MARGIN - SLACK || transform[4] + width > right) cut.push(`page ${number}: ${str}`);
    }
  }
  return { texts, cut, sheets: document.numPages };
}

const bare = (text) => text.replace(/\s/g, "");
await visiting(base, (await readFile(list, "utf8")).split("\n"), async (page, { path }) => {
  await page.emulateMedia({ media: "print" });
  const wanted = await page.evaluate(expected);
  const pdf = await page.pdf({ preferCSSPageSize: true, format: "A4" });
  await writeFile(join(folder, `${path.replace(/[^a-z0-9]+/gi, "_")}.pdf`), pdf);
  const { texts, cut, sheets } = await read(pdf);
  const all = bare(texts.join(""));
  const missing = [wanted.title, ...wanted.sources].filter((text) => !all.includes(bare(text)));
  const markers = texts.flatMap((text) => text.trim().match(MARKER) ?? []);
  for (const number of wanted.numbers) {
    const place = markers.indexOf(number);
    if (place < 0) missing.push(`the number ${number}`);
    else markers.splice(place, 1);
  }
  await page.emulateMedia({ media: null });
  pages.push({ path, cut, missing, sheets });
}, { widths: [1280], schemes: ["light"] });
console.log(JSON.stringify({ pages }));
