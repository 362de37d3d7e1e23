/**
 * The package as users get it: built, packed as published, and unpacked as a dependency of a
 * project that has no other.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { temporaryFolder } from "./exchange-process.ts";
import { ROOT } from "./source-code.ts";

const run = promisify(execFile);
const BUILD_TIMEOUT_MS = 120_000;

/** What the build reads beside the package's own files. */
const SOURCES = [
  ...["src", "build", "docs", "package.json", "tsconfig.json", "tsconfig.package.json"],
  ...["rialto.mjs", "strip-types.mjs"],
];

export interface Project {
  readonly folder: string;
  /** The unpacked package. */
  readonly packageFolder: string;
  /** What was packed, as paths inside the package. */
  readonly files: readonly string[];
}

const TSC = join(ROOT, "node_modules/.bin/tsc");

/** Fails with what the compiler says of the project's files. */
export async function compile({ folder }: Project, options: object, files: readonly string[]) {
  const compilerOptions = {
    target: "es2024",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    ...options,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  await run(TSC, ["-p", "."], { cwd: folder, timeout: BUILD_TIMEOUT_MS }).catch(
    ({ stdout }: { stdout: string }) => assert.fail(stdout.slice(0, 2_000)),
  );
}

const IMPORT = /(?<!")\b(?:from|import)\s*\(?\s*"([^"]+)"/g;

/** Every module that a page loads with this one; `outside` is what is not of the package. */
export function modulesFrom(entry: string): { readonly inside: Set<string>; outside: string[] } {
  const inside = new Set<string>();
  const outside: string[] = [];
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (inside.has(file)) continue;
    inside.add(file);
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(IMPORT)) {
      if (name.startsWith(".")) waiting.push(join(dirname(file), name));
      else outside.push(name);
    }
  }
  return { inside, outside };
}

/** Builds and packs in a copy, so that nothing is left in the repository. */
export async function openProject(): Promise<Project> {
  const stage = join(temporaryFolder(), "stage");
  mkdirSync(stage);
  for (const name of SOURCES) cpSync(join(ROOT, name), join(stage, name), { recursive: true });
  symlinkSync(resolve(ROOT, "node_modules"), join(stage, "node_modules"));
  const options = { cwd: stage, timeout: BUILD_TIMEOUT_MS };
  await run("npm", ["run", "--silent", "build"], options);
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts"], options);
  const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  if (packed === undefined) throw new Error(`nothing was packed: ${stdout}`);

  const folder = join(temporaryFolder(), "project");
  const modules = join(folder, "node_modules");
  mkdirSync(modules, { recursive: true });
  await run("tar", ["-xzf", join(stage, packed.filename), "-C", modules]);
  cpSync(join(modules, "package"), join(modules, "rialto"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type":"module","private":true}');
  return {
    folder,
    packageFolder: join(modules, "rialto"),
    files: packed.files.map(({ path }) => path),
  };
}
