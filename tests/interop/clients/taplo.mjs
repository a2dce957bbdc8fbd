// The language server for TOML, which npm brings as a module without a command, over standard input and output.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";

const { TaploLsp } = createRequire(import.meta.url)("@taplo/lsp");

const filePath = (url) => (url.startsWith("file:") ? fileURLToPath(url) : "");
const refused = () => Promise.reject(new TypeError("no network: schemas are files"));
const environment = {
  now: () => new Date(),
  envVar: (name) => process.env[name],
  envVars: () => Object.entries(process.env),
  stdErrAtty: () => false,
  stdin: process.stdin,
  stdout: process.stderr,
  stderr: process.stderr,
  glob: () => [],
  readFile,
  writeFile,
  urlToFilePath: filePath,
  isAbsolute,
  cwd: () => process.cwd(),
  findConfigFile: (from) => [".taplo.toml", "taplo.toml"].map((name) => `${from}/${name}`).find(existsSync),
  fetch: { fetch: refused, Headers, Request, Response },
};
const server = await TaploLsp.initialize(environment, {
  onMessage: (message) => {
    const body = Buffer.from(JSON.stringify(message));
    process.stdout.write(`Content-Length: ${body.length}\r\n\r\n`);
    process.stdout.write(body);
  },
});

let waiting = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  waiting = Buffer.concat([waiting, chunk]);
  for (;;) {
    const end = waiting.indexOf("\r\n\r\n");
    if (end < 0) return;
    const size = Number(/content-length: *(\d+)/i.exec(waiting.subarray(0, end))[1]);
    if (waiting.length < end + 4 + size) return;
    server.send(JSON.parse(waiting.subarray(end + 4, end + 4 + size)));
    waiting = waiting.subarray(end + 4 + size);
  }
});
process.stdin.on("end", () => process.exit(0));
