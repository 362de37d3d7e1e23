/**
 * Builds what is published: the program in a few files, the modules of `rialto/client` and
 * `rialto/testing` with their declarations in `dist`, and the client as a package of its own in
 * `dist/packages/client`.
 *
 * The schemas of the calls are types of a library, which every consumer's compiler would have to
 * evaluate. `flat-types.ts` has the compiler do that once; the declarations then name no library.
 */
import {
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { billOfMaterials } from "./bill-of-materials.ts";
import { compile } from "./compile.ts";
import { bundleProgram, compileProgram } from "./program.ts";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");
const TYPES = join(DIST, "types");
/** All that was compiled, with the folder depth of the sources. */
const CODE = join(DIST, "code");
/** What others import. */
const LIBRARIES = ["client", "testing"];
const CLIENT_PACKAGE = join(DIST, "packages/client");
/** What `build/pages.ts` makes. */
const PAGES = ["console", "docs", "pages.built"];
const CLIENT_OLDEST_NODE = 20;

const IMPORT = /((?<!")\b(?:from\s|import\s|import\()\s*)"([^"]+)"/g;

/** The published `route-types.d.ts`, behind the types that the compiler wrote out. */
const LOOK_UPS = `
import type { CallId } from "../api/calls.ts";
import type { OperatorCallId } from "../api/operator/calls.ts";

export type Query<Id extends CallId> = Queries[Id];
export type Body<Id extends CallId> = Bodies[Id];
export type Answer<Id extends CallId> = Answers[Id];
export type OperatorInput<Id extends OperatorCallId> = OperatorInputs[Id];
export type OperatorAnswer<Id extends OperatorCallId> = OperatorAnswers[Id];
/** One order of a spot batch: placed, or why not. */
export type PlacedSpotRow = Rows["placedSpot"][number];
/** The same with one optional field. */
export type Without<Value, Name extends keyof Value> = Omit<Value, Name> & {
  readonly [Field in Name]?: Value[Name];
};
`;

for (const path of globSync("*", { cwd: DIST })) {
  if (!PAGES.includes(path)) rmSync(join(DIST, path), { recursive: true });
}
compileProgram(CODE);
await bundleProgram(CODE, join(DIST, "cli"));
for (const file of reachable(LIBRARIES.map((name) => join(CODE, name, "index.js")))) {
  moveInto(DIST, relative(CODE, file), file);
}
rmSync(CODE, { recursive: true });
compile("tsconfig.types.json");
writeFlatTypes();
const declarations = reachable(LIBRARIES.map((name) => declarationOf(name)));
for (const file of declarations) moveDeclaration(file);
rmSync(TYPES, { recursive: true });
packClient();
writeBill();

function writeBill(): void {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const text = JSON.stringify(billOfMaterials(lock), null, 1);
  writeFileSync(join(DIST, "bill-of-materials.cdx.json"), `${text}\n`);
}

function writeFlatTypes(): void {
  const text = readFileSync(join(TYPES, "build/flat-types.d.ts"), "utf8")
    .replaceAll(/^import .*\n|^export \{\};\n/gm, "")
    .replaceAll(/^export declare const (\w+): \{$/gm, "export interface $1 {")
    .replaceAll(/^\};$/gm, "}")
    .replaceAll('"../src/', '"../');
  writeFileSync(join(TYPES, "src/client/route-types.d.ts"), `${text}${LOOK_UPS}`);
}

function declarationOf(entry: string): string {
  return join(TYPES, "src", entry, "index.d.ts");
}

/** The files and all that they import; nothing of a library but of Node itself is among it. */
function reachable(entries: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    for (const [, , name = ""] of readFileSync(file, "utf8").matchAll(IMPORT)) {
      if (name.startsWith("node:")) continue;
      if (!name.startsWith(".")) throw new Error(`${file} imports ${name}`);
      const ending = file.endsWith(".d.ts") ? ".d.ts" : ".js";
      waiting.push(join(dirname(file), name.replace(/\.[jt]s$/, ending)));
    }
  }
  return [...found];
}

/** Beside its code, naming other files as the code does. */
function moveDeclaration(file: string): void {
  const text = readFileSync(file, "utf8").replaceAll(
    IMPORT,
    (_, start: string, name: string) => `${start}"${name.replace(/\.ts$/, ".js")}"`,
  );
  writeFileSync(file, text);
  moveInto(DIST, relative(join(TYPES, "src"), file), file);
}

function moveInto(folder: string, path: string, file: string): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  renameSync(file, target);
}

/** The client without the program; it has no dependency. */
function packClient(): void {
  const entry = join(DIST, "client/index");
  const code = reachable([`${entry}.js`]);
  const types = reachable([`${entry}.d.ts`]);
  for (const file of [...code, ...types]) {
    const copy = join(CLIENT_PACKAGE, relative(DIST, file));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(file, copy);
  }
  const { version, license } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const manifest = {
    name: "rialto-client",
    version,
    description: "The client of a Rialto exchange, for Node and browsers",
    license,
    type: "module",
    engines: { node: `>=${CLIENT_OLDEST_NODE}` },
    exports: {
      ".": { types: "./client/index.d.ts", default: "./client/index.js" },
      "./package.json": "./package.json",
    },
    sideEffects: false,
  };
  writeFileSync(join(CLIENT_PACKAGE, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(import.meta.dirname, "client-readme.md"), join(CLIENT_PACKAGE, "README.md"));
  copyFileSync(join(ROOT, "LICENSE"), join(CLIENT_PACKAGE, "LICENSE"));
}
