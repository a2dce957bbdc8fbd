// Writes contracts.json again: node tests/interop/contracts/compile.mjs, where npm has solc 0.8.30. Runtime code only, for anvil_setCode.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const solc = createRequire(process.cwd() + "/")("solc");
const here = new URL(".", import.meta.url);
const names = ["Token.sol", "Permit2.sol"];
const sources = Object.fromEntries(names.map((name) => [name, { content: readFileSync(new URL(name, here), "utf8") }]));
const settings = {
  optimizer: { enabled: true, runs: 200 },
  viaIR: true,
  evmVersion: "cancun",
  metadata: { bytecodeHash: "none" },
  outputSelection: { "*": { "*": ["evm.deployedBytecode.object", "evm.methodIdentifiers"] } },
};
const told = JSON.parse(solc.compile(JSON.stringify({ language: "Solidity", sources, settings })));
for (const fault of told.errors ?? []) console.error(fault.formattedMessage);
const out = { compiler: solc.version() };
for (const name of names)
  for (const [contract, made] of Object.entries(told.contracts[name]))
    if (made.evm.deployedBytecode.object) out[contract] = { code: "0x" + made.evm.deployedBytecode.object, methods: made.evm.methodIdentifiers };
writeFileSync(new URL("contracts.json", here), JSON.stringify(out, null, 1) + "\n");
