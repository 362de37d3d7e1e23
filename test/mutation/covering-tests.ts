/**
 * Which tests can notice a change of a file: those that import it, by any way, and those that start
 * a process or a thread that does. Those beside it come first, then the models that do the same in
 * another way, then the nearest.
 */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ROOT } from "../support/root.ts";

const SOURCES = ["{src,test,bench}/**/*.{ts,tsx}"];
const TEST = /\.test\.tsx?$/;
/** Static and dynamic imports, re-exports, and the modules of threads. */
const IMPORT = /(?:from|import|import\(|new URL\()\s*"(\.[^"]+\.tsx?)"/g;
/** Files that are started by their path: a process of the exchange. */
const STARTED = /"(src\/[\w./-]+\.ts)"/g;

/** They compare a whole part with a plain one: the engine, its contracts, the journal. */
const MODELS = /^test\/models\/(engine-model|contract\/contract-model|replay)\.test\.ts$/;
/** Tests of whole exchanges take longer, and notice less of one line. */
const FOLDERS = ["src", "test/models", "test/history", "test/simulator"].concat(
  ["hostile", "conformance", "crash", "cluster"].map((name) => `test/${name}`),
);

interface Source {
  readonly digest: string;
  readonly uses: readonly string[];
}

export class CoveringTests {
  readonly #sources = new Map<string, Source>();
  /** From a file to those that import it. */
  readonly #importers = new Map<string, Set<string>>();
  readonly #digests = new Map<string, string>();

  constructor() {
    for (const path of globSync(SOURCES, { cwd: ROOT })) this.#read(path);
  }

  #read(path: string): void {
    const text = readFileSync(join(ROOT, path), "utf8");
    const folder = dirname(join(ROOT, path));
    const imported = [...text.matchAll(IMPORT)].map(([, to = ""]) =>
      relative(ROOT, join(folder, to)),
    );
    const started = path.startsWith("test/")
      ? [...text.matchAll(STARTED)].map(([, to = ""]) => to)
      : [];
    const uses = [...imported, ...started];
    this.#sources.set(path, { digest: digestOf(text), uses });
    for (const to of uses) {
      const importers = this.#importers.get(to) ?? new Set();
      this.#importers.set(to, importers.add(path));
    }
  }

  of(file: string): string[] {
    const tests = this.#byDistance(file);
    const beside = tests.filter((path) => dirname(path) === dirname(file));
    const models = tests.filter((path) => MODELS.test(path));
    return [...new Set([...beside, ...models, ...tests])];
  }

  /** Of the text of a test and of all that it uses: while it is the same, so is a run. */
  digest(test: string): string {
    const known = this.#digests.get(test);
    if (known !== undefined) return known;
    const seen = new Set([test]);
    for (const path of seen) for (const to of this.#sources.get(path)?.uses ?? []) seen.add(to);
    const texts = [...seen].sort().map((path) => `${path} ${this.#sources.get(path)?.digest}`);
    const digest = digestOf(texts.join("\n"));
    this.#digests.set(test, digest);
    return digest;
  }

  /** The nearest first; of those at the same distance, the cheaper ones. */
  #byDistance(file: string): string[] {
    const seen = new Set([file]);
    const tests: string[] = [];
    for (let ring = [file]; ring.length > 0; ) {
      const next = new Set(ring.flatMap((path) => [...(this.#importers.get(path) ?? [])]));
      ring = [...next].filter((path) => !seen.has(path));
      for (const path of ring) seen.add(path);
      tests.push(...ring.filter((path) => TEST.test(path)).sort(byCost));
    }
    return tests.filter((path) => cost(path) < FOLDERS.length);
  }
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function cost(path: string): number {
  const folder = FOLDERS.findIndex((name) => path.startsWith(`${name}/`));
  return folder < 0 ? FOLDERS.length : folder;
}

function byCost(one: string, other: string): number {
  return cost(one) - cost(other) || (one < other ? -1 : 1);
}
