/** What a simulation is asked for, and what came of it. */

export interface SimulationOptions {
  /** Of a cluster, in place of one machine. */
  readonly isCluster?: boolean;
  readonly seed: number;
  readonly steps: number;
  /** Steps to do, of those; the others are left out. */
  readonly keeps?: (step: number) => boolean;
  readonly onStep?: (step: number) => void;
  /** Faults that do not happen. */
  readonly without?: ReadonlySet<string>;
  /** Traders, or "operator", that do nothing. */
  readonly silent?: ReadonlySet<string>;
}

export interface SimulationResult {
  readonly seed: number;
  /** Null when nothing was found. */
  readonly breach: { readonly step: number; readonly check: string; readonly text: string } | null;
  readonly steps: number;
  readonly requests: number;
  readonly restarts: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly traceHash: string;
  /** Who did something. */
  readonly actors: readonly string[];
  /** What each step was. */
  readonly log: readonly string[];
}
