/** The mutants that a run draws from, and the draw: which ones a seed takes. */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/root.ts";
import { areaOf } from "./areas.ts";
import { EQUIVALENT } from "./equivalent.ts";
import type { Mutant } from "./mutant-text.ts";
import { mutantsOf } from "./mutants.ts";

export interface Candidate {
  readonly mutant: Mutant;
  /** Of its line: what a change elsewhere in the file leaves alone. */
  readonly lineText: string;
}

/** Every mutant of the files that are chosen, without those that nobody can notice. */
export function candidates(
  isChosen: (file: string) => boolean,
  unnoticeable: typeof EQUIVALENT = EQUIVALENT,
): Candidate[] {
  const files = globSync("src/**/*.{ts,tsx}", { cwd: ROOT }).filter((file) => {
    return !/\.test\.tsx?$/.test(file) && isChosen(file);
  });
  return files.sort().flatMap((file) => {
    const source = readFileSync(join(ROOT, file), "utf8");
    const lines = source.split("\n");
    return mutantsOf(file, source)
      .map((mutant) => ({ mutant, lineText: lines[mutant.line - 1] ?? "" }))
      .filter((candidate) => !unnoticeable.some((known) => isSame(known, candidate)));
  });
}

/** Files of the gate: those of these areas, or of all without names. */
export function isOfAreas(names: readonly string[]): (file: string) => boolean {
  return (file) => {
    const area = areaOf(file);
    return area !== undefined && (names.length === 0 || names.includes(area.name));
  };
}

/**
 * `count` of them. Each has a number of its own from the seed and its text, and the smallest are
 * taken: a change of a line moves the mutants of that line in or out and leaves the others alone.
 */
export function drawn(from: readonly Candidate[], seed: number, count: number): Mutant[] {
  return from
    .map((candidate) => ({ mutant: candidate.mutant, number: numberOf(candidate, seed) }))
    .sort((one, other) => (one.number < other.number ? -1 : one.number > other.number ? 1 : 0))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

function numberOf({ mutant, lineText }: Candidate, seed: number): string {
  const { file, operator, original, replacement } = mutant;
  const text = [seed, file, lineText.trim(), operator, original, replacement].join("\0");
  return createHash("sha256").update(text).digest("hex");
}

function isSame(
  known: (typeof EQUIVALENT)[number],
  { mutant: { file, original, replacement }, lineText }: Candidate,
): boolean {
  if (known.file !== file || known.line !== lineText.trim()) return false;
  return known.change === `${original} → ${replacement}`;
}
