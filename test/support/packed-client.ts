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
import { ROOT } from "./root.ts";

const run = promisify(execFile);
const BUILD_TIMEOUT_MS = 900_000;

/** What the build reads beside the package's own files. */
const SOURCES = [
  ...[
    "src",
    "build",
    "package-lock.json",
    "docs",
    "package.json",
    "tsconfig.json",
    "rialto.mjs",
    "README.md",
    "LICENSE",
  ],
];

export interface Project {
  readonly folder: string;
  /** The unpacked package. */
  readonly packageFolder: string;
  readonly server: PackedFile;
  /** The client as a package of its own. */
  readonly client: PackedFile;
}

export interface PackedFile {
  /** The file that is published. */
  readonly path: string;
  readonly files: readonly string[];
  /** Of all files together. */
  readonly bytes: number;
}

const TSC = join(ROOT, "node_modules/.bin/tsc");

/** Fails with what the compiler says of the project's files; returns how many types it made. */
export async function compile(
  { folder }: Project,
  options: object,
  files: readonly string[],
): Promise<number> {
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
  const args = ["-p", ".", "--extendedDiagnostics"];
  const { stdout } = await run(TSC, args, { cwd: folder, timeout: BUILD_TIMEOUT_MS }).catch(
    (failed: { stdout: string }) => assert.fail(failed.stdout.slice(0, 2_000)),
  );
  return Number(/^Instantiations: *(\d+)$/m.exec(stdout)?.[1]);
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
export async function packAll(): Promise<Pick<Project, "server" | "client">> {
  const stage = join(temporaryFolder(), "stage");
  mkdirSync(stage);
  for (const name of SOURCES) cpSync(join(ROOT, name), join(stage, name), { recursive: true });
  symlinkSync(resolve(ROOT, "node_modules"), join(stage, "node_modules"));
  await run("npm", ["run", "--silent", "build"], { cwd: stage, timeout: BUILD_TIMEOUT_MS });
  return { server: await pack(stage, "."), client: await pack(stage, "./dist/packages/client") };
}

async function pack(stage: string, folder: string): Promise<PackedFile> {
  const args = ["pack", folder, "--json", "--ignore-scripts"];
  const { stdout } = await run("npm", args, { cwd: stage, timeout: BUILD_TIMEOUT_MS });
  const [packed] = JSON.parse(stdout) as {
    filename: string;
    files: { path: string }[];
    unpackedSize: number;
  }[];
  if (packed === undefined) throw new Error(`nothing was packed: ${stdout}`);
  const files = packed.files.map(({ path }) => path);
  return { path: join(stage, packed.filename), files, bytes: packed.unpackedSize };
}

/** A project with both packages and nothing that they depend on. */
export async function openProject(): Promise<Project> {
  const packed = await packAll();
  const folder = join(temporaryFolder(), "project");
  const modules = join(folder, "node_modules");
  for (const [name, { path }] of [
    ["rialto", packed.server],
    ["rialto-client", packed.client],
  ] as const) {
    mkdirSync(join(modules, name), { recursive: true });
    await run("tar", ["-xzf", path, "--strip-components=1", "-C", join(modules, name)]);
  }
  writeFileSync(join(folder, "package.json"), '{"type":"module","private":true}');
  return { folder, packageFolder: join(modules, "rialto"), ...packed };
}
