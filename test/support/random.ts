/**
 * Seeded randomness and sizes for tests. Each suite has a seed of its own that stays the same, so
 * that a run that fails says something about the change and nothing about luck. New ground is
 * covered by `RIALTO_TEST_SEED=random npm test`, a failure repeated with the seed that the suite
 * printed. `RIALTO_TEST_SCALE` multiplies the counts for long runs.
 */
import { after } from "node:test";

export class Random {
  readonly seed: number;
  #state: number;
  #draws = 0;

  constructor(seed: number) {
    this.seed = seed >>> 0;
    this.#state = this.seed;
  }

  /** How many numbers were drawn from it. */
  get draws(): number {
    return this.#draws;
  }

  /** Mulberry32: the same numbers from the same seed on every machine. */
  next(): number {
    this.#draws++;
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** So many hexadecimal digits. */
  hex(length: number): string {
    return Array.from({ length }, () => this.integer(0, 15).toString(16)).join("");
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)] as Item;
  }

  shuffle<Item>(items: Item[]): Item[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.integer(0, i);
      [items[i], items[j]] = [items[j] as Item, items[i] as Item];
    }
    return items;
  }
}

/** The suite's randomness; prints the seed at the start, and at the end what was done with it. */
export function seededRandom(suite: string): Random {
  const random = new Random(seedFor(suite));
  const startedMs = performance.now();
  console.log(`# ${suite}: RIALTO_TEST_SEED=${random.seed} RIALTO_TEST_SCALE=${testScale()}`);
  after(() => {
    const seconds = (performance.now() - startedMs) / 1000;
    console.log(`# ${suite}: ${seconds.toFixed(1)} s, ${random.draws} numbers drawn`);
  });
  return random;
}

function seedFor(suite: string): number {
  const given = process.env.RIALTO_TEST_SEED;
  if (given === "random") return Date.now();
  return given === undefined ? fnv1a(suite) : Number(given);
}

/** The 32-bit FNV-1a hash of the name. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

function testScale(): number {
  return Number(process.env.RIALTO_TEST_SCALE ?? "1");
}

/**
 * A count that grows with `RIALTO_TEST_SCALE`, at least 1. With `long` it is that many in the long
 * run, which sets `RIALTO_TEST_LONG` to the part of them that it takes.
 */
export function scaled(count: number, long?: number): number {
  const part = process.env.RIALTO_TEST_LONG;
  const wanted =
    long === undefined || part === undefined ? count * testScale() : long * Number(part);
  return Math.max(1, Math.round(wanted));
}

export function isLongRun(): boolean {
  return process.env.RIALTO_TEST_LONG !== undefined;
}

/** A quarter of them, drawn by the suite's seed; all in the long run. */
export function sampled<Item>(items: readonly Item[], random: Random): readonly Item[] {
  if (isLongRun()) return items;
  const drawn = random.shuffle([...items]).slice(0, Math.ceil(items.length / 4));
  console.log(`# ${drawn.length} of ${items.length}; the long run has all`);
  return drawn;
}
