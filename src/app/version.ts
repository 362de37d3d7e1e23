/** The version of this release and the Node version it needs, both read from `package.json`. */
import { readFileSync } from "node:fs";

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");

export const MANIFEST = JSON.parse(text) as Manifest;

export const VERSION: string = MANIFEST.version;
