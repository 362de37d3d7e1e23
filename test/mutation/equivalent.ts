/** Mutants that change nothing that anybody can see, each with its reason. */
import type { Mutant } from "./mutant-text.ts";

interface Equivalent {
  readonly reason: string;
  is(mutant: Mutant): boolean;
}

export const EQUIVALENT: readonly Equivalent[] = [];
