/**
 * The verdicts of all runs, one a line of JSON, so that runs add up. One counts as long as the file
 * of its mutant has the same text; that a mutant survived, only until a test of the file changes.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../support/source-code.ts";
import { type CoveringTests, digestOf } from "./covering-tests.ts";
import type { Verdict } from "./mutant-run.ts";
import type { Mutant } from "./mutant-text.ts";

interface Line {
  readonly verdict: Verdict;
  readonly source: string;
  readonly tests: string;
}

export class VerdictFile {
  readonly #path: string;
  readonly #covering: CoveringTests;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #kills = new Map<string, number>();
  readonly #digests = new Map<string, { readonly source: string; readonly tests: string }>();

  constructor(path: string, covering: CoveringTests) {
    this.#path = path;
    this.#covering = covering;
    mkdirSync(dirname(path), { recursive: true });
    for (const line of existsSync(path) ? readFileSync(path, "utf8").split("\n") : []) {
      if (line !== "") this.#read(JSON.parse(line) as Line);
    }
  }

  /** Null where it is not known, or no longer. */
  of(mutant: Mutant): Verdict | null {
    return this.#verdicts.get(keyOf(mutant)) ?? null;
  }

  kills(file: string, test: string): number {
    return this.#kills.get(`${file} ${test}`) ?? 0;
  }

  add(verdict: Verdict): void {
    this.#take(verdict);
    const line: Line = { verdict, ...this.#digestsOf(verdict.mutant.file) };
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }

  #read({ verdict, source, tests }: Line): void {
    const { file } = verdict.mutant;
    if (!existsSync(join(ROOT, file))) return;
    const now = this.#digestsOf(file);
    const isKilled = verdict.kind === "killed";
    if (source === now.source && (isKilled || tests === now.tests)) this.#take(verdict);
  }

  #take(verdict: Verdict): void {
    const { by, mutant } = verdict;
    this.#verdicts.set(keyOf(mutant), verdict);
    if (by === null) return;
    const key = `${mutant.file} ${by}`;
    this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1);
  }

  #digestsOf(file: string): { readonly source: string; readonly tests: string } {
    const known = this.#digests.get(file);
    if (known !== undefined) return known;
    const tests = this.#covering.of(file).map((test) => `${test} ${this.#covering.digest(test)}`);
    const source = digestOf(readFileSync(join(ROOT, file), "utf8"));
    const digests = { source, tests: digestOf(tests.join("\n")) };
    this.#digests.set(file, digests);
    return digests;
  }
}

function keyOf({ file, start, end, replacement }: Mutant): string {
  return `${file} ${start} ${end} ${replacement}`;
}
