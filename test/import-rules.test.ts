/**
 * Goal: every import rule fails on the import that it forbids and lets the allowed ones pass.
 * Method: a small tree outside the repository gets one wrong import for each rule, those of folders
 * and layers made from the rows themselves, and right ones beside them; the checker reads it once,
 * as the static checks call it. A rule without a wrong import here fails the test.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { after, before } from "node:test";
import { ROOT } from "./support/root.ts";

const LIMIT_MS = 60_000;
const CONFIG = join(ROOT, ".dependency-cruiser.cjs");
const CHECKER = join(ROOT, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");

interface Rule {
  readonly name: string;
  readonly from: { readonly path?: string };
  readonly to: { readonly path?: string | string[]; readonly pathNot?: string | string[] };
}

/** A file with one import line. `rule` forbids it, or nothing does when that is null. */
interface Plant {
  readonly rule: string | null;
  readonly file: string;
  readonly line: string;
}

interface Violation {
  readonly from: string;
  readonly rule: { readonly name: string };
}

const { forbidden } = createRequire(import.meta.url)(CONFIG) as { readonly forbidden: Rule[] };
const CONTRACT = "src/engine/contract";

/** A folder of `src` with layers in it. */
interface Layered {
  readonly folder: string;
  readonly layers: readonly string[];
}

const KNOWN_LAYERS = "-known-layers";
const LAYERED: readonly Layered[] = forbidden.flatMap(({ name }) => {
  if (!name.endsWith(KNOWN_LAYERS)) return [];
  const folder = name.slice(0, -KNOWN_LAYERS.length);
  const layers = forbidden.flatMap((rule) => {
    const layer = rule.name.slice(`${folder}-`.length);
    return rule.from.path === `^src/${folder}/${layer}/` ? [layer] : [];
  });
  return [{ folder, layers }];
});
const FOLDERS = forbidden.flatMap(({ name }) =>
  name.endsWith("-folders") && name !== "known-folders" && name !== "test-folders"
    ? [name.slice(0, -"-folders".length)]
    : [],
);

function value(path: string): string {
  return `import { part } from "${path}";\nexport const copy = part;\n`;
}

function type(path: string): string {
  return `import type { Part } from "${path}";\nexport type Copy = Part;\n`;
}

/** Alternatives of the group that follows `prefix` in a pattern of a rule. */
function alternatives(pattern: unknown, prefix: string): string[] {
  return new RegExp(`${prefix}\\(([^)]*)\\)`).exec(String(pattern))?.[1]?.split("|") ?? [];
}

function ruleOf(name: string): Rule | undefined {
  return forbidden.find((rule) => rule.name === name);
}

/** One wrong import for each rule of a row of FOLDERS, and right ones for what it allows. */
function folderPlants(folder: string): Plant[] {
  const at = `src/${folder}`;
  const typesOnly = alternatives(ruleOf(`${folder}-types-only`)?.to.path, "src/");
  const reachable = alternatives(ruleOf(`${folder}-folders`)?.to.pathNot, "src/");
  const packages = alternatives(ruleOf(`${folder}-packages`)?.to.pathNot, "node_modules/");
  const plants: Plant[] = [
    { rule: `${folder}-folders`, file: `${at}/to-root.ts`, line: value("../app/part.ts") },
    { rule: `${folder}-packages`, file: `${at}/to-package.ts`, line: value("left-pad") },
    {
      rule: `${folder}-tests`,
      file: `${at}/to-models.test.ts`,
      line: value("../../test/models/part.ts"),
    },
    {
      rule: null,
      file: `${at}/to-support.test.ts`,
      line: value("../../test/support/part.ts"),
    },
    ...reachable.map((other) => ({
      rule: null,
      file: `${at}/to-${other}.ts`,
      // The client has a rule of its own for values of schemas, which is tried below.
      line: (folder === "client" || typesOnly.includes(other) ? type : value)(
        `../${other}/part.ts`,
      ),
    })),
    ...packages.map((name) => ({
      rule: null,
      file: `${at}/to-package-${name.replace(/\W/g, "-")}.ts`,
      line: type(name.endsWith("/") ? `${name}any` : name),
    })),
  ];
  for (const other of typesOnly) {
    const file = `${at}/to-values-of-${other}.ts`;
    plants.push({ rule: `${folder}-types-only`, file, line: value(`../${other}/part.ts`) });
  }
  const noNode = ruleOf(`${folder}-no-node`) === undefined ? null : `${folder}-no-node`;
  const line = 'import { part } from "node:fs";\nexport const copy = part;\n';
  plants.push({ rule: noNode, file: `${at}/to-node.ts`, line });
  return plants;
}

/** A layer may import those of its row, no other, and not what stands beside the layers. */
function layerPlants({ folder, layers }: Layered): Plant[] {
  const known = `${folder}${KNOWN_LAYERS}`;
  const unnamed = `src/${folder}/unnamed/to-layer.ts`;
  const plants: Plant[] = [{ rule: known, file: unnamed, line: value(`../${layers[0]}/part.ts`) }];
  for (const layer of layers) {
    const rule = `${folder}-${layer}`;
    const [first] = [ruleOf(rule)?.to.pathNot ?? []].flat();
    const allowed = alternatives(first, `${folder}/`);
    plants.push({ rule, file: `src/${folder}/${layer}/to-root.ts`, line: value("../root.ts") });
    for (const other of layers) {
      plants.push({
        rule: allowed.includes(other) ? null : rule,
        file: `src/${folder}/${layer}/to-${other}.ts`,
        line: value(`../${other}/part.ts`),
      });
    }
  }
  return plants;
}

/** The rules that are no rows of a table. */
const OTHERS: readonly Plant[] = [
  {
    rule: null,
    file: `${CONTRACT}/orders/to-contract-state.ts`,
    line: type("../contract-state.ts"),
  },
  {
    rule: "gateway-resources",
    file: "src/gateway/spot/to-contract.ts",
    line: value("../contract/part.ts"),
  },
  {
    rule: "contract-state-holds",
    file: `${CONTRACT}/contract-state.ts`,
    line: `${value("./orders/part.ts")}export type Part = number;\n`,
  },
  {
    rule: "order-intake",
    file: "src/engine/orders/to-contract.ts",
    line: value("../contract/markets.ts"),
  },
  {
    rule: "postgres-in-one-file",
    file: "src/journal/quorum/to-driver.ts",
    line: value("pg"),
  },
  { rule: null, file: "src/journal/quorum/connection.ts", line: value("pg") },
  { rule: "known-folders", file: "src/unnamed/to-domain.ts", line: value("../domain/part.ts") },
  {
    rule: "roots-import-no-tests",
    file: "src/app/to-support.ts",
    line: value("../../test/support/part.ts"),
  },
  {
    rule: "client-loads-no-schemas",
    file: "src/client/to-schemas.ts",
    line: value("../api/part.ts"),
  },
  { rule: "app-not-cli", file: "src/app/to-cli.ts", line: value("../cli/part.ts") },
  { rule: null, file: "src/cli/to-app.ts", line: value("../app/part.ts") },
  {
    rule: "outside-tests",
    file: "test/models/behind-index.ts",
    line: value("../../src/protocol/part.ts"),
  },
  { rule: null, file: "test/models/to-index.ts", line: value("../../src/protocol/index.ts") },
  { rule: "test-folders", file: "test/models/to-crash.ts", line: value("../crash/part.ts") },
  { rule: null, file: "test/models/to-support.ts", line: value("../support/part.ts") },
  { rule: "no-tests-imported", file: "test/models/to-test.ts", line: value("./part.test.ts") },
  {
    rule: "no-development-packages",
    file: "src/app/to-development.ts",
    line: value("development-only"),
  },
  { rule: "no-cycles", file: "src/app/one.ts", line: value("./other.ts") },
  { rule: "no-orphans", file: "src/app/alone.ts", line: "export const alone = 0;\n" },
  { rule: "no-unresolvable", file: "src/app/to-nothing.ts", line: value("./nothing.ts") },
];

const PLANTS = [...FOLDERS.flatMap(folderPlants), ...LAYERED.flatMap(layerPlants), ...OTHERS];
const PART = "export const part = 0;\nexport type Part = number;\n";

const tree = mkdtempSync(join(tmpdir(), "rialto-import-rules-"));
after(() => rmSync(tree, { recursive: true }));
const broken = new Map<string, string[]>();

function write(path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

function writeTree(): void {
  for (const folder of [...FOLDERS, "app", "cli"]) write(`src/${folder}/part.ts`, PART);
  for (const { folder, layers } of LAYERED) {
    write(`src/${folder}/root.ts`, PART);
    for (const layer of layers) write(`src/${folder}/${layer}/part.ts`, PART);
  }
  write("src/gateway/contract/part.ts", PART);
  for (const folder of ["models", "crash", "support"]) write(`test/${folder}/part.ts`, PART);
  write(`${CONTRACT}/markets.ts`, PART);
  write("src/protocol/index.ts", PART);
  write("test/models/part.test.ts", PART);
  write("src/app/other.ts", 'import { copy } from "./one.ts";\nexport const part = copy;\n');
  const allowed = FOLDERS.flatMap((folder) =>
    alternatives(ruleOf(`${folder}-packages`)?.to.pathNot, "node_modules/"),
  ).map((name) => (name.endsWith("/") ? `${name}any` : name));
  for (const name of ["left-pad", "development-only", ...allowed]) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js" }));
    write(`node_modules/${name}/index.js`, "");
  }
  const dependencies = Object.fromEntries(["left-pad", ...allowed].map((name) => [name, "1.0.0"]));
  const devDependencies = { "development-only": "1.0.0" };
  write("package.json", JSON.stringify({ type: "module", dependencies, devDependencies }));
  write("tsconfig.json", '{ "compilerOptions": { "module": "nodenext" } }');
  for (const { file, line } of PLANTS) write(file, line);
}

function check(): Promise<readonly Violation[]> {
  const args = [CHECKER, "--config", CONFIG, "--output-type", "json", "src", "test"];
  const options = { cwd: tree, timeout: LIMIT_MS, maxBuffer: 1 << 26 };
  return new Promise((resolve, reject) => {
    // It exits with a code other than 0, since rules are broken.
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if (stdout === "") reject(error ?? new Error(stderr));
      else resolve(JSON.parse(stdout).summary.violations);
    });
  });
}

function foldersIn(path: string): string[] {
  const entries = readdirSync(join(ROOT, path), { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

before(async () => {
  writeTree();
  for (const { from, rule } of await check()) {
    broken.set(from, [...(broken.get(from) ?? []), rule.name]);
  }
});

test("every rule has an import that it forbids", () => {
  assert.deepEqual([...FOLDERS, "app", "cli"].sort(), foldersIn("src"));
  assert.ok(LAYERED.length > 0);
  for (const { folder, layers } of LAYERED) {
    assert.deepEqual([...layers].sort(), foldersIn(`src/${folder}`));
  }
  assert.equal(new Set(PLANTS.map(({ file }) => file)).size, PLANTS.length, "a file for each");
  const planted = new Set(PLANTS.map(({ rule }) => rule));
  const untried = forbidden.map(({ name }) => name).filter((name) => !planted.has(name));
  assert.deepEqual(untried, []);
});

test("each wrong import breaks its rule", () => {
  const missed = PLANTS.filter(({ rule, file }) => {
    return rule !== null && broken.get(file)?.includes(rule) !== true;
  });
  assert.deepEqual(missed, []);
});

test("right imports break none", () => {
  const right = PLANTS.filter(({ rule }) => rule === null);
  const refused = right.flatMap(({ file }) => (broken.get(file) ?? []).map((rule) => [file, rule]));
  assert.deepEqual(refused, []);
});
