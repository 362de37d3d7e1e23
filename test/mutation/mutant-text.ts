/** One small bug: where it is, and the text of the file with it. */

export type Operator =
  | "comparison"
  | "logic"
  | "arithmetic"
  | "assignment"
  | "condition"
  | "constant"
  | "extreme"
  | "statement";

export interface Mutant {
  /** From the root of the repository. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
  /** From 1. */
  readonly line: number;
  readonly operator: Operator;
  readonly original: string;
  readonly replacement: string;
}

/** The source with the mutant in it. */
export function mutated(source: string, { start, end, original, replacement }: Mutant): string {
  if (source.slice(start, end) !== original) throw new Error("the source has changed since");
  return source.slice(0, start) + replacement + source.slice(end);
}
