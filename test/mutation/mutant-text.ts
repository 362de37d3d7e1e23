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

/** Another text in a file. */
export interface Plant {
  /** From the root of the repository. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly replacement: string;
}

export interface Mutant extends Plant {
  /** From 1. */
  readonly line: number;
  readonly operator: Operator;
}

/** The source with it. */
export function mutated(source: string, { start, end, original, replacement }: Plant): string {
  if (source.slice(start, end) !== original) throw new Error("the source has changed since");
  return source.slice(0, start) + replacement + source.slice(end);
}
