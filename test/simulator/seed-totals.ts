/** What the seeds of a run did together, and how far it is. */
import type { SimulationResult } from "./simulation.ts";

const PROGRESS_MS = 10_000;

export class SeedTotals {
  readonly #startedMs = performance.now();
  readonly #seeds: number;
  readonly #faults: Record<string, number> = {};
  #toldMs = this.#startedMs;
  #done = 0;
  #steps = 0;
  #requests = 0;
  #restarts = 0;

  constructor(seeds: number) {
    this.#seeds = seeds;
  }

  add({ faults, requests, restarts, steps, traceHash }: SimulationResult): void {
    this.#done++;
    this.#steps += steps;
    this.#requests += requests;
    this.#restarts += restarts;
    for (const [kind, count] of Object.entries(faults)) {
      this.#faults[kind] = (this.#faults[kind] ?? 0) + count;
    }
    if (this.#seeds === 1) console.log(`trace ${traceHash}`);
    if (performance.now() - this.#toldMs < PROGRESS_MS) return;
    this.#toldMs = performance.now();
    console.log(`${this.#done} of ${this.#seeds} seeds, ${this.#requests} requests`);
  }

  tell(): void {
    const seconds = ((performance.now() - this.#startedMs) / 1000).toFixed(1);
    const done = `${this.#steps} steps, ${this.#requests} requests, ${this.#restarts} restarts`;
    console.log(`${this.#seeds} seeds without a breach in ${seconds} s: ${done}`);
    for (const [kind, count] of Object.entries(this.#faults).sort()) {
      console.log(`  ${count} ${kind}`);
    }
  }
}
