// JSON-LD of the pages as TypeScript: node linked-data.mjs FOLDER FILE... writes one typed constant an object, prints {objects, other}.
// Objects whose @context is more than schema.org (Croissant) have types that schema-dts does not know: they are counted as other.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

const [folder, ...files] = process.argv.slice(2);
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
let objects = 0;
let other = 0;
for (const file of files) {
  const html = await readFile(file, "utf8");
  const found = [...html.matchAll(/<script type="application\/ld\+json">([\s\S]*?)<\/script>/g)].map((match) => JSON.parse(match[1]));
  const known = found.filter((one) => /^https?:\/\/schema\.org\/?$/.test(one["@context"]));
  objects += known.length;
  other += found.length - known.length;
  if (known.length === 0) continue;
  const types = [...new Set(known.map((one) => one["@type"] ?? "Thing"))];
  const lines = known.map((one, place) => `export const object${place}: WithContext<${one["@type"] ?? "Thing"}> = ${JSON.stringify(one, null, 1)};`);
  await writeFile(join(folder, `${basename(file, ".html")}.ts`), [`import type { ${["WithContext", ...types].join(", ")} } from "schema-dts";`, ...lines, ""].join("\n"));
}
console.log(JSON.stringify({ objects, other }));
