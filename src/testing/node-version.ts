/**
 * Ends an import with a sentence where Node is too old. It comes before all other imports, which
 * may use what such a Node lacks.
 */
import { readFileSync } from "node:fs";

const manifest = new URL("../../package.json", import.meta.url);
const { engines } = JSON.parse(readFileSync(manifest, "utf8"));
const oldest = firstNumber(engines.node);
if (firstNumber(process.versions.node) < oldest) {
  throw new Error(
    `rialto/testing needs Node ${oldest} or newer; this is ${process.versions.node}.`,
  );
}

function firstNumber(text: string): number {
  return Number(/\d+/.exec(text)?.[0]);
}
