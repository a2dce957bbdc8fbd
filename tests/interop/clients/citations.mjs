// Reads every citation of an archive with citation-js, in all its forms, and prints what differs.
import { Cite } from "@citation-js/core";
import "@citation-js/plugin-bibtex";
import "@citation-js/plugin-csl";
import "@citation-js/plugin-ris";

const FORMS = [".csl.json", ".bib", ".ris"];
const base = process.argv[2];
const faults = [];

async function read(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return Cite.async(await answer.text(), { generateGraph: false });
}

function facts(item) {
  const date = item.issued["date-parts"][0].join("-");
  const authors = item.author.map((name) => name.literal ?? [name.given, name.family].filter(Boolean).join(" "));
  return JSON.stringify([item.id, item.title, item.URL, item.DOI ?? null, date, authors, item.language]);
}

const library = await read(`${base}/library.bib`);
for (const cited of library.data) {
  const page = base + new URL(cited.URL).pathname.replace(/(\/@\d+)?\/$/, "");
  const forms = await Promise.all(FORMS.map((suffix) => read(page + suffix)));
  const readings = [...forms.map((form) => form.data), [cited]];
  if (readings.some((data) => data.length !== 1)) faults.push(`${page}: not one item in every form`);
  const [wanted, ...others] = readings.map(([item]) => facts(item));
  for (const other of others) if (other !== wanted) faults.push(`${page}: ${wanted} is not ${other}`);
  const printed = forms[0].format("bibliography", { format: "text", template: "apa" }).replaceAll(/[‘’]/g, "'");
  const { URL: address, title } = forms[0].data[0];
  if (!printed.includes(address) || !printed.includes(title)) faults.push(`${page}: prints as ${printed}`);
}
console.log(JSON.stringify({ count: library.data.length, faults }));
