/**
 * The verdicts of all runs, one a line of JSON, so that runs add up. One counts as long as the file
 * of its mutant has the same text. That a mutant survived is doubtful after a change of any test of
 * the file, or of what these use: then it is shown again, and until then it counts as it was.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "../support/root.ts";
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
  readonly #doubtful = new Set<string>();
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

  /** The last one; null where there is none. */
  last(mutant: Mutant): Verdict | null {
    return this.#verdicts.get(keyOf(mutant)) ?? null;
  }

  /** Null also where it is doubtful. */
  of(mutant: Mutant): Verdict | null {
    return this.#doubtful.has(keyOf(mutant)) ? null : this.last(mutant);
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
    if (source !== now.source) return;
    this.#take(verdict);
    const isCertain = verdict.kind === "killed" || tests === now.tests;
    if (!isCertain) this.#doubtful.add(keyOf(verdict.mutant));
  }

  #take(verdict: Verdict): void {
    const { by, mutant } = verdict;
    this.#verdicts.set(keyOf(mutant), verdict);
    this.#doubtful.delete(keyOf(mutant));
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
