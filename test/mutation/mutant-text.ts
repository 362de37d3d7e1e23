/** One small bug: where it is, and of which kind. */
import type { Plant } from "../support/planted-text.ts";

export type Operator =
  | "comparison"
  | "logic"
  | "arithmetic"
  | "assignment"
  | "condition"
  | "constant"
  | "extreme"
  | "statement";

export interface Mutant extends Plant {
  /** From 1. */
  readonly line: number;
  readonly operator: Operator;
}
